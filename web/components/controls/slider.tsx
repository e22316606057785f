/**
 * A number on a scale, using the browser's native range input. `value` null means the service's default: the thumb is
 * placed there and nothing is sent; the button beside the value resets to it.
 */
import { RotateCcw } from "lucide-react";
import { useId } from "react";
import { cx } from "../../cx.ts";
import { IconButton } from "./button.tsx";

interface SliderProps {
  label: string;
  hint?: string;
  value: number | null;
  /** The service's default. */
  fallback: number;
  /** What a position stands for; by default the number itself. */
  textOf?: (value: number) => string;
  /** If the default is not a number: "model’s own". */
  fallbackText?: string;
  min: number;
  max: number;
  step: number;
  onChange: (value: number | null) => void;
}

export function Slider({
  label,
  hint,
  value,
  fallback,
  textOf = String,
  fallbackText = textOf(fallback),
  min,
  max,
  step,
  onChange,
}: SliderProps) {
  const id = useId();
  return (
    <div>
      <div className="flex h-7 items-center justify-between gap-3 text-sm">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <span className="flex items-center gap-0.5 text-muted tabular-nums">
          {value === null ? `${fallbackText} (default)` : textOf(value)}
          {value !== null && (
            <IconButton
              label={`Reset ${label.toLowerCase()} to ${fallbackText}`}
              className="size-7 [&>svg]:size-3.5"
              onClick={() => onChange(null)}
            >
              <RotateCcw />
            </IconButton>
          )}
        </span>
      </div>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value ?? fallback}
        aria-valuetext={value === null ? `default, ${fallbackText}` : textOf(value)}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        className={cx(
          "block h-5 w-full cursor-pointer appearance-none rounded-sm bg-transparent",
          webkitLook,
          mozillaLook,
        )}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

// Each browser engine has its own names for the two parts.
const webkitLook =
  "[&::-webkit-slider-runnable-track]:h-0.75 [&::-webkit-slider-runnable-track]:rounded-full [&::-webkit-slider-runnable-track]:bg-edge [&::-webkit-slider-thumb]:-mt-1.5 [&::-webkit-slider-thumb]:size-4 [&::-webkit-slider-thumb]:appearance-none [&::-webkit-slider-thumb]:rounded-full [&::-webkit-slider-thumb]:bg-accent";
const mozillaLook =
  "[&::-moz-range-thumb]:size-4 [&::-moz-range-thumb]:rounded-full [&::-moz-range-thumb]:border-0 [&::-moz-range-thumb]:bg-accent [&::-moz-range-track]:h-0.75 [&::-moz-range-track]:rounded-full [&::-moz-range-track]:bg-edge";
