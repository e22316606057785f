/** The operator's name and contact, at set-up and later. */
import { longest } from "../../../src/core/bounds.js";
import { fieldError } from "../../form-errors.ts";
import { Field } from "./field.tsx";
import { Input } from "./input.tsx";

export interface OperatorDraft {
  name: string;
  contact: string;
}

interface OperatorFieldsProps {
  draft: OperatorDraft;
  onChange: (draft: OperatorDraft) => void;
  error: Error | null;
  isNameConfigured: boolean;
}

export function OperatorFields({ draft, onChange, error, isNameConfigured }: OperatorFieldsProps) {
  return (
    <>
      <Field
        label="Run by"
        hint={
          isNameConfigured
            ? "Set by SOTTO_OWNER_NAME in the configuration."
            : "Optional. Your name or your organisation’s, shown on every public page and in mails."
        }
        error={fieldError(error, "name")}
      >
        <Input
          autoComplete="organization"
          maxLength={longest.operatorName}
          disabled={isNameConfigured}
          value={draft.name}
          onChange={(event) => onChange({ ...draft, name: event.target.value })}
        />
      </Field>
      <Field
        label="Contact"
        hint="Optional. An email address or a web page for questions, shown to everyone."
        error={fieldError(error, "contact")}
      >
        <Input
          autoCapitalize="none"
          spellCheck={false}
          maxLength={longest.email}
          value={draft.contact}
          onChange={(event) => onChange({ ...draft, contact: event.target.value })}
        />
      </Field>
    </>
  );
}
