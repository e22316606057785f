import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import { type KeyScope, keyScopes } from "../../../../src/core/key-scopes.js";
import { modelIds, type ModelId } from "../../../../src/core/models.js";
import type { KeyWithSecret, PlanView } from "../../../../src/protocol/dashboard/api.js";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field, Input } from "../../../components/controls/field.tsx";
import { Fieldset } from "../../../components/controls/fieldset.tsx";
import { ModelsField } from "../../../components/controls/models-field.tsx";
import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { useSpace } from "../../../hooks/use-space.ts";
import { api } from "../../../service/api.ts";
import {
  daysToSend,
  ExpiryField,
  NetworksField,
  networksToSend,
  TagsField,
  tagsToSend,
} from "./key-fields.tsx";
import { IssueKeyDialog } from "./issue-key-dialog.tsx";
import { KeyLimitsField, limitsToSend, type TypedLimits } from "./key-limits-field.tsx";

interface CreateKeyDialogProps {
  plan: PlanView;
  /** In a team: whether a service key may be created. */
  canBeService?: boolean;
  /** Whether it may be a key for the operator's API. */
  canHaveScopes?: boolean;
  /** For a page that fills the new key in. */
  onIssued?: (issued: KeyWithSecret) => void;
  onClose: () => void;
}

export function CreateKeyDialog(props: CreateKeyDialogProps) {
  const { plan, canBeService = false, canHaveScopes = false, onIssued, onClose } = props;
  const { id: team } = useSpace();
  const [name, setName] = useState("");
  const [isService, setIsService] = useState(false);
  const [models, setModels] = useState<ModelId[] | null>(null);
  /** Null for an ordinary key. */
  const [scopes, setScopes] = useState<KeyScope[] | null>(null);
  const [expiry, setExpiry] = useState("");
  const [tags, setTags] = useState("");
  const [networks, setNetworks] = useState("");
  const [limits, setLimits] = useState<TypedLimits | null>(null);
  return (
    <IssueKeyDialog
      action="Create key"
      done="Key created"
      issue={() => {
        const body = {
          ...{ name, limits: limitsToSend(limits), tags: tagsToSend(tags) },
          allowFrom: networksToSend(networks),
          expiresInDays: daysToSend(expiry),
        };
        return scopes === null
          ? api.createKey({ ...body, models, isService }, team)
          : api.admin.createOperatorKey({ ...body, scopes });
      }}
      onIssued={onIssued}
      onClose={onClose}
      note={
        scopes !== null ? (
          <p className="text-sm text-muted">It manages the service and does not work with models.</p>
        ) : onIssued === undefined ? (
          <p className="text-sm">
            <ArrowLink href="/app/connect">Connect a client</ArrowLink>
          </p>
        ) : (
          <p className="text-sm text-muted">It is filled in on this page.</p>
        )
      }
    >
      <Field label="Name" hint="Where the key is used, so that you can tell your keys apart." name="name">
        <Input value={name} maxLength={longest.keyName} autoComplete="off" onValue={setName} />
      </Field>
      {canBeService && (
        <Checkbox
          label="Service key"
          hint="Belongs to the team and keeps working when you leave it."
          checked={isService}
          onChange={setIsService}
        />
      )}
      <TagsField value={tags} onChange={setTags} />
      {canHaveScopes && (
        <Checkbox
          label="For the operator’s API"
          hint="Manages the service instead of using models."
          checked={scopes !== null}
          onChange={(checked) => setScopes(checked ? ["admin:read"] : null)}
        />
      )}
      {scopes === null ? (
        <ModelsField value={models} onChange={setModels} among={plan.models ?? modelIds} />
      ) : (
        <ScopesField value={scopes} onChange={setScopes} />
      )}
      <ExpiryField value={expiry} onChange={setExpiry} />
      <NetworksField value={networks} onChange={setNetworks} />
      <KeyLimitsField value={limits} onChange={setLimits} plan={plan} />
    </IssueKeyDialog>
  );
}

/** What a key for the operator's API may do. */
interface ScopesFieldProps {
  value: readonly KeyScope[];
  onChange: (scopes: KeyScope[]) => void;
}

const hints: Record<KeyScope, string> = {
  "admin:read": "Reads what admins can: accounts, plans, teams, usage, the audit trail.",
  "admin:write": "Changes all of it, too. As powerful as an admin.",
  scim: "Lets an identity provider create, suspend and delete accounts.",
};

function ScopesField({ value, onChange }: ScopesFieldProps) {
  return (
    <Fieldset legend="Scopes" name="scopes">
      {keyScopes.map((scope) => (
        <Checkbox
          key={scope}
          label={<code className="font-mono text-sm">{scope}</code>}
          hint={hints[scope]}
          checked={value.includes(scope)}
          onChange={(checked) =>
            onChange(keyScopes.filter((one) => (one === scope ? checked : value.includes(one))))
          }
        />
      ))}
    </Fieldset>
  );
}
