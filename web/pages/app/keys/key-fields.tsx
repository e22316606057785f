import { mostNetworks, longest, mostTags } from "../../../../src/core/bounds.js";
import { Field, Select, Input, verbatim } from "../../../components/controls/field.tsx";

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
}

export function ExpiryField({ value, onChange, now }: ExpiryFieldProps) {
  return (
    <Field label="Expires" name="expiresInDays">
      <Select
        value={value}
        onValue={onChange}
        options={now === undefined ? expiries : [{ value: sameExpiry, label: now }, ...expiries]}
      />
    </Field>
  );
}

/** For the service: null for never, absent where it stays as it is. */
export const daysToSend = (expiry: string): number | null => (expiry === "" ? null : Number(expiry));

interface NetworksFieldProps {
  /** As typed, separated by commas or spaces. */
  value: string;
  onChange: (networks: string) => void;
}

export function NetworksField({ value, onChange }: NetworksFieldProps) {
  return (
    <Field
      label="Allowed networks"
      aside="optional"
      hint="Only these may connect, such as 192.0.2.0/24, 2001:db8::/32. Leave empty to allow any."
      name="allowFrom"
    >
      <Input
        value={value}
        maxLength={mostNetworks * 50}
        {...verbatim}
        className="font-mono"
        onValue={onChange}
      />
    </Field>
  );
}

/** Null for anywhere. */
export function networksToSend(typed: string): string[] | null {
  const networks = typed.split(/[\s,]+/).filter((network) => network !== "");
  return networks.length === 0 ? null : networks;
}

interface TagsFieldProps {
  /** As typed, separated by commas. */
  value: string;
  onChange: (tags: string) => void;
}

export function TagsField({ value, onChange }: TagsFieldProps) {
  return (
    <Field label="Tags" aside="optional" hint="For finding keys. Comma-separated: ci, team a." name="tags">
      <Input
        value={value}
        maxLength={mostTags * (longest.tag + 2)}
        autoComplete="off"
        autoCapitalize="none"
        onValue={onChange}
      />
    </Field>
  );
}

export const tagsToSend = (typed: string): string[] =>
  typed
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
