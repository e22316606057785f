/** What a key for the operator's API may do. */
import { keyScopes, type KeyScope } from "../../../../src/core/key-scopes.js";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Fieldset } from "../../../components/controls/fieldset.tsx";

interface ScopesFieldProps {
  value: readonly KeyScope[];
  onChange: (scopes: KeyScope[]) => void;
  error?: string | undefined;
}

const hints: Record<KeyScope, string> = {
  "admin:read": "Reads what admins can: accounts, plans, teams, usage, the audit trail.",
  "admin:write": "Changes all of it, too. As powerful as an admin.",
  scim: "Lets an identity provider create, suspend and delete accounts.",
};

export function ScopesField({ value, onChange, error }: ScopesFieldProps) {
  return (
    <Fieldset legend="Scopes" error={error}>
      {keyScopes.map((scope) => (
        <Checkbox
          key={scope}
          label={<code className="font-mono text-sm">{scope}</code>}
          hint={hints[scope]}
          checked={value.includes(scope)}
          onChange={({ target }) =>
            onChange(keyScopes.filter((one) => (one === scope ? target.checked : value.includes(one))))
          }
        />
      ))}
    </Fieldset>
  );
}
