import type { ReactNode } from "react";
import { Field } from "../../../components/controls/field.tsx";
import { Select } from "../../../components/controls/select.tsx";

const expiries = [
  { value: "", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

/** The expiry stays as it is. */
export const sameExpiry = "same";

interface ExpiryFieldProps {
  /** Days from now; empty for never, or `sameExpiry`. */
  value: string;
  onChange: (expiry: string) => void;
  /** What the key has now, where there is a key: "On 3 Jan 2027". */
  now?: string;
  hint?: ReactNode;
  error?: string | undefined;
}

export function ExpiryField({ value, onChange, now, hint, error }: ExpiryFieldProps) {
  return (
    <Field label="Expires" hint={hint} error={error}>
      <Select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        options={now === undefined ? expiries : [{ value: sameExpiry, label: now }, ...expiries]}
      />
    </Field>
  );
}

/** For the service: null for never, absent where it stays as it is. */
export const daysToSend = (expiry: string): number | null => (expiry === "" ? null : Number(expiry));
