import { useState } from "react";
import type { KeyWithSecret, PlanView } from "../../../../src/protocol/dashboard/api.js";
import { longest } from "../../../../src/core/bounds.js";
import type { KeyScope } from "../../../../src/core/key-scopes.js";
import { modelIds, type ModelId } from "../../../../src/core/models.js";
import { api } from "../../../service/api.ts";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { ModelsField } from "../../../components/controls/models-field.tsx";
import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { useSpace } from "../../../hooks/use-space.ts";
import { fieldError } from "../../../form-errors.ts";
import { daysToSend, ExpiryField } from "./expiry-field.tsx";
import { IssueKeyDialog } from "./issue-key-dialog.tsx";
import { NetworksField, networksToSend } from "./networks-field.tsx";
import { ScopesField } from "./scopes-field.tsx";
import { TagsField, tagsToSend } from "./tags-field.tsx";
import { KeyLimitsField, limitFieldNames, limitsToSend, type TypedLimits } from "./key-limits-field.tsx";

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
      fieldNames={["name", "models", "scopes", "expiresInDays", ...limitFieldNames, "tags", "allowFrom"]}
      fields={(error) => (
        <>
          <Field
            label="Name"
            hint="Where the key is used, so that you can tell your keys apart."
            error={fieldError(error, "name")}
          >
            <Input
              value={name}
              maxLength={longest.keyName}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          {canBeService && (
            <Checkbox
              label="Service key"
              hint="Belongs to the team and keeps working when you leave it."
              checked={isService}
              onChange={(event) => setIsService(event.target.checked)}
            />
          )}
          <TagsField value={tags} onChange={setTags} error={fieldError(error, "tags")} />
          {canHaveScopes && (
            <Checkbox
              label="For the operator’s API"
              hint="Manages the service instead of using models."
              checked={scopes !== null}
              onChange={(event) => setScopes(event.target.checked ? ["admin:read"] : null)}
            />
          )}
          {scopes === null ? (
            <ModelsField
              value={models}
              onChange={setModels}
              among={plan.models ?? modelIds}
              error={fieldError(error, "models")}
            />
          ) : (
            <ScopesField value={scopes} onChange={setScopes} error={fieldError(error, "scopes")} />
          )}
          <ExpiryField value={expiry} onChange={setExpiry} error={fieldError(error, "expiresInDays")} />
          <NetworksField value={networks} onChange={setNetworks} error={fieldError(error, "allowFrom")} />
          <KeyLimitsField value={limits} onChange={setLimits} plan={plan} error={error} />
        </>
      )}
    />
  );
}
