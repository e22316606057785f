import { longest, mostTags } from "../../../../src/core/bounds.js";
import { Field } from "../../../components/controls/field.tsx";
import { Input } from "../../../components/controls/input.tsx";

interface TagsFieldProps {
  /** As typed, separated by commas. */
  value: string;
  onChange: (tags: string) => void;
  error?: string | undefined;
}

export function TagsField({ value, onChange, error }: TagsFieldProps) {
  return (
    <Field label="Tags" aside="optional" hint="For finding keys. Comma-separated: ci, team a." error={error}>
      <Input
        value={value}
        maxLength={mostTags * (longest.tag + 2)}
        autoComplete="off"
        autoCapitalize="none"
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

export const tagsToSend = (typed: string): string[] =>
  typed
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
