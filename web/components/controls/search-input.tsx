import { Search } from "lucide-react";
import { cx } from "../../cx.ts";
import { Input, unaided } from "./field.tsx";

interface SearchInputProps {
  /** Read aloud: "Search accounts". */
  label: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
  className?: string;
}

/** Narrows the list below it while someone types. */
export function SearchInput({ label, placeholder, value, onChange, className }: SearchInputProps) {
  return (
    <div className={cx("relative", className)}>
      <Search
        className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-muted"
        aria-hidden
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        {...unaided}
        maxLength={200}
        className="pl-9"
        value={value}
        onValue={onChange}
      />
    </div>
  );
}
