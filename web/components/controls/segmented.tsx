/** A segmented control: one of a few visible options, built from radio buttons. */
import { useId } from "react";

interface SegmentedProps<Id extends string> {
  label: string;
  options: readonly { id: Id; label: string }[];
  value: Id;
  onChange: (id: Id) => void;
}

export function Segmented<Id extends string>({ label, options, value, onChange }: SegmentedProps<Id>) {
  const name = useId();
  return (
    <fieldset className="inline-flex flex-wrap rounded-md border border-line bg-surface p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.id}
          className="flex h-8 cursor-pointer items-center rounded-sm px-2 text-sm sm:px-3 whitespace-nowrap text-muted transition-colors hover:text-ink has-checked:bg-hover has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={option.id}
            checked={option.id === value}
            onChange={() => onChange(option.id)}
            className="sr-only"
          />
          {/* As wide as in bold, so that changing the selection causes no layout shift. */}
          <span
            data-label={option.label}
            className="after:invisible after:block after:h-0 after:overflow-hidden after:font-medium after:content-[attr(data-label)/'']"
          >
            {option.label}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
