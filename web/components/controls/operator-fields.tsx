/** The operator's name and contact, at set-up and later. */
import { longest } from "../../../src/core/bounds.js";
import { Field, Input } from "./field.tsx";

interface OperatorDraft {
  name: string;
  contact: string;
}

interface OperatorFieldsProps {
  draft: OperatorDraft;
  onChange: (draft: OperatorDraft) => void;
  isNameConfigured: boolean;
}

export function OperatorFields({ draft, onChange, isNameConfigured }: OperatorFieldsProps) {
  return (
    <>
      <Field
        label="Run by"
        hint={
          isNameConfigured
            ? "Set by SOTTO_OWNER_NAME in the configuration."
            : "Optional. Your name or your organisation’s, shown on every public page and in mails."
        }
        name="name"
      >
        <Input
          autoComplete="organization"
          maxLength={longest.operatorName}
          disabled={isNameConfigured}
          value={draft.name}
          onValue={(value) => onChange({ ...draft, name: value })}
        />
      </Field>
      <Field
        label="Contact"
        hint="Optional. An email address or a web page for questions, shown to everyone."
        name="contact"
      >
        <Input
          autoCapitalize="none"
          spellCheck={false}
          maxLength={longest.email}
          value={draft.contact}
          onValue={(value) => onChange({ ...draft, contact: value })}
        />
      </Field>
    </>
  );
}
