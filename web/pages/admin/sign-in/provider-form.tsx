import { useState } from "react";
import {
  callbackPath,
  logoutPath,
  type ProviderSignUp,
} from "../../../../src/core/single-sign-on/provider.js";
import type { ProviderList, ProviderTest, ProviderView } from "../../../../src/protocol/identity-provider.js";
import { Button } from "../../../components/controls/button.tsx";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { CopyButton } from "../../../components/controls/copy-button.tsx";
import { Field, Input, PasswordInput, Select, unaided } from "../../../components/controls/field.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { adminApi, adminQueries } from "../../../service/admin.ts";
import { queries } from "../../../service/queries.ts";
import { idFrom } from "../plans/plan-draft.ts";
import { GroupRules } from "./group-rules.tsx";
import { bodyOf, draftOf, idError, type ProviderDraft } from "./provider-draft.ts";

interface ProviderFormProps {
  /** Null for a new one. */
  provider: ProviderView | null;
  list: ProviderList;
  onClose: () => void;
}

const signUps: readonly { value: ProviderSignUp; label: string }[] = [
  { value: "nobody", label: "Nobody" },
  { value: "domains", label: "Verified addresses of some domains" },
  { value: "anyone", label: "Anyone who can sign in there" },
];

export function ProviderForm({ provider, list, onClose }: ProviderFormProps) {
  const isNew = provider === null;
  const [draft, setDraft] = useState(() => draftOf(provider));
  const [ownId, setOwnId] = useState(false);
  const [checked, setChecked] = useState(false);
  const set = (change: Partial<ProviderDraft>) => setDraft({ ...draft, ...change });
  const taken = list.providers.map(({ id }) => id);
  const wrongId = isNew ? idError(draft.id, taken) : undefined;
  const save = useChange(() => adminApi.saveProvider(draft.id, bodyOf(draft)), {
    done: `${draft.name} saved`,
    onDone: onClose,
    reads: [adminQueries.providers.queryKey, queries.site.queryKey],
  });
  const test = useChange(() => adminApi.testProvider(draft.id, bodyOf(draft)));
  const text = (field: "name" | "issuer" | "clientId" | "scopes" | "domains" | "groupClaim") => ({
    value: draft[field],
    autoComplete: "off",
    spellCheck: false,
    onValue: (value: string) => set({ [field]: value }),
  });
  const ifValid = (run: () => void) => () => {
    setChecked(true);
    save.reset();
    test.reset();
    if (wrongId === undefined) run();
  };
  return (
    <FormDialog
      title={isNew ? "Add provider" : "Edit provider"}
      // Of whichever was pressed last.
      change={{ ...save, error: save.error ?? test.error }}
      aside={
        <Button pending={test.isPending} onClick={ifValid(() => test.mutate())} className="sm:mr-auto">
          Test
        </Button>
      }
      onSubmit={ifValid(() => save.mutate())}
      submit={isNew ? "Add provider" : "Save"}
      onClose={onClose}
    >
      <div className="grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-2">
        <Field label="Name" name="name" className={isNew ? "" : "sm:col-span-2"}>
          <Input
            {...text("name")}
            maxLength={60}
            onValue={(value) =>
              set(isNew && !ownId ? { name: value, id: idFrom(value).slice(0, 40) } : { name: value })
            }
          />
        </Field>
        {isNew && (
          <Field label="Id" name="id" error={checked ? wrongId : undefined}>
            <Input
              value={draft.id}
              maxLength={40}
              {...unaided}
              className="font-mono"
              onValue={(value) => {
                setOwnId(true);
                set({ id: value });
              }}
            />
          </Field>
        )}
      </div>
      <ToRegister baseUrl={list.baseUrl} id={draft.id} />
      <Field label="Issuer" name="issuer">
        <Input {...text("issuer")} type="url" placeholder="https://login.example.com" />
      </Field>
      <Field label="Client id" name="clientId">
        <Input {...text("clientId")} />
      </Field>
      <Field
        label="Client secret"
        aside="optional"
        hint={provider?.hasSecret === true ? "Leave empty to keep the current one." : "Stored encrypted."}
        name="clientSecret"
      >
        <PasswordInput
          autoComplete="off"
          value={draft.clientSecret}
          onValue={(value) => set({ clientSecret: value })}
        />
      </Field>
      <Field label="Scopes" name="scopes">
        <Input {...text("scopes")} />
      </Field>
      <Field
        label="Who gets an account at their first sign-in"
        hint={draft.signUp === "nobody" ? "Accounts that exist are linked by their owners." : undefined}
      >
        <Select
          options={signUps}
          value={draft.signUp}
          onValue={(value) =>
            set({ signUp: signUps.find((option) => option.value === value)?.value ?? "nobody" })
          }
        />
      </Field>
      {draft.signUp === "domains" && (
        <Field label="Domains" hint="Separated by commas, such as example.com, example.org." name="domains">
          <Input {...text("domains")} />
        </Field>
      )}
      <Checkbox
        label="Treat its addresses as verified"
        hint="For a provider that assigns addresses itself but does not say that they are verified."
        checked={draft.trustsEmail}
        onChange={(checked) => set({ trustsEmail: checked })}
      />
      <Field label="Groups claim" aside="optional" name="groupClaim">
        <Input {...text("groupClaim")} placeholder="groups" />
      </Field>
      {draft.groupClaim.trim() !== "" && (
        <GroupRules rules={draft.groups} onChange={(groups) => set({ groups })} />
      )}
      <Checkbox
        label="Signing out at the provider also disables keys"
        hint="Otherwise it ends sessions only. Owners can enable their keys again after signing in."
        checked={draft.endsKeys}
        onChange={(checked) => set({ endsKeys: checked })}
      />
      <Checkbox
        label="Its directory manages accounts over SCIM"
        hint="Accounts created over SCIM are linked when their owner first signs in with this provider."
        checked={draft.linksScim}
        onChange={(checked) => set({ linksScim: checked })}
      />
      {test.data !== undefined && <TestResult result={test.data} />}
    </FormDialog>
  );
}

/** What the provider has to know of this service. */
function ToRegister({ baseUrl, id }: { baseUrl: string; id: string }) {
  if (id === "") return null;
  const addresses = [
    { label: "Redirect URI", value: baseUrl + callbackPath(id) },
    { label: "Back-channel logout URI", value: baseUrl + logoutPath(id) },
    { label: "Post-logout redirect URI", value: `${baseUrl}/sign-in` },
  ];
  return (
    <dl className="flex flex-col gap-2 rounded-md bg-sunken px-4 py-3 text-sm">
      {addresses.map(({ label, value }) => (
        <div key={label}>
          <dt className="text-muted">{label}</dt>
          <dd className="flex items-center justify-between gap-3">
            <span className="min-w-0 font-mono break-all">{value}</span>
            <CopyButton text={value} label={`Copy ${label.toLowerCase()}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function TestResult({ result }: { result: ProviderTest }) {
  if (result.problem !== null) {
    return (
      <Callout tone="bad" title="The test failed">
        {result.problem}
      </Callout>
    );
  }
  return (
    <div role="status">
      <Callout title="The provider responds and accepts the client id and secret">
        {result.hasLogout
          ? "Signing out here can also end the session there."
          : "Signing out here cannot end the session there."}{" "}
        {result.hasBackChannelLogout
          ? "It supports back-channel logout."
          : "It does not announce back-channel logout."}
      </Callout>
    </div>
  );
}
