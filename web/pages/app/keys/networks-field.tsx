import { mostNetworks } from "../../../../src/core/bounds.js";
import { Field } from "../../../components/controls/field.tsx";
import { Input } from "../../../components/controls/input.tsx";

interface NetworksFieldProps {
  /** As typed, separated by commas or spaces. */
  value: string;
  onChange: (networks: string) => void;
  error?: string | undefined;
}

export function NetworksField({ value, onChange, error }: NetworksFieldProps) {
  return (
    <Field
      label="Allowed networks"
      aside="optional"
      hint="Only these may connect, such as 192.0.2.0/24, 2001:db8::/32. Leave empty to allow any."
      error={error}
    >
      <Input
        value={value}
        maxLength={mostNetworks * 50}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="font-mono"
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

/** Null for anywhere. */
export function networksToSend(typed: string): string[] | null {
  const networks = typed.split(/[\s,]+/).filter((network) => network !== "");
  return networks.length === 0 ? null : networks;
}
