/**
 * A number on a scale, by the browser's own range input. `value` null means the service's default: the thumb
 * stands there and nothing is sent; the button beside the value goes back to it.
 */
import { RotateCcw } from "lucide-react";
import { useId } from "react";
import { IconButton } from "./button.tsx";

interface SliderProps {
  label: string;
  hint?: string;
  value: number | null;
  fallback: number;
  min: number;
  max: number;
  step: number;
  onChange: (value: number | null) => void;
}

export function Slider({ label, hint, value, fallback, min, max, step, onChange }: SliderProps) {
  const id = useId();
  return (
    <div>
      <div className="flex h-7 items-center justify-between gap-3 text-sm">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <span className="flex items-center gap-0.5 text-muted tabular-nums">
          {value === null ? "default" : value}
          {value !== null && (
            <IconButton
              label={`Reset ${label.toLowerCase()}`}
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
        aria-valuetext={value === null ? `default, ${fallback}` : undefined}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        className="block h-5 w-full cursor-pointer accent-accent"
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
