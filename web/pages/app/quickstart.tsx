/**
 * From sign-up to a working request: one click creates a key, a second one copies it, and the code below has it
 * filled in while it is on the screen. The secret lives in this component's memory and nowhere else.
 */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isChatModelId } from "../../../src/core/models.js";
import type { KeyWithSecret, PlanView } from "../../../src/protocol/dashboard/api.js";
import { api } from "../../service/api.ts";
import { ChatCode } from "../../chat-code.tsx";
import { Button, ButtonLink } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { ArrowLink } from "../../components/text/arrow-link.tsx";
import { Field, Input } from "../../components/controls/field.tsx";
import { Form, FormFailure } from "../../components/controls/form.tsx";
import { queries } from "../../service/queries.ts";
import { plural } from "../../units.ts";
import { useIssueKey, NewSecret } from "./keys/issue-key-dialog.tsx";

export function Quickstart({ plan }: { plan: PlanView }) {
  const [issued, setIssued] = useState<KeyWithSecret | null>(null);
  const { data } = useQuery(queries.keys);
  const live = data?.keys.filter((key) => key.status === "active").length;
  const first = live === 0;
  const model = plan.models?.find(isChatModelId) ?? "omega";
  return (
    <Card
      title={issued !== null ? "Your key is ready" : first ? "Create your first key" : "Make a request"}
      description={
        issued !== null
          ? "The code below has it filled in."
          : first
            ? "It lets a program use the API on your behalf. Any OpenAI client works with it."
            : "With any OpenAI client and one of your keys."
      }
      actions={
        issued === null && live !== undefined && live > 0 ? (
          <ButtonLink href="/app/keys" size="sm">
            {plural(live, "active key")}
          </ButtonLink>
        ) : undefined
      }
    >
      <div className="flex flex-col gap-6">
        {issued === null ? (
          <CreateKey defaultName={first ? "My first key" : "New key"} onIssued={setIssued} />
        ) : (
          <NewSecret name={issued.key.name} secret={issued.secret}>
            <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
              <Button size="sm" onClick={() => setIssued(null)}>
                I’ve copied it
              </Button>
              <span className="text-sm">
                <ArrowLink href="/app/connect">Connect a client</ArrowLink>
              </span>
            </div>
          </NewSecret>
        )}
        <ChatCode secret={issued?.secret} model={model} />
      </div>
    </Card>
  );
}

function CreateKey({
  defaultName,
  onIssued,
}: {
  defaultName: string;
  onIssued: (issued: KeyWithSecret) => void;
}) {
  // Null until something is typed: the default depends on the keys, which load later.
  const [typed, setTyped] = useState<string | null>(null);
  const name = typed ?? defaultName;
  const create = useIssueKey(() => api.createKey({ name, models: null, expiresInDays: null }));
  return (
    <Form
      className="flex flex-col gap-4"
      error={create.error}
      onSubmit={() => {
        create.mutate(undefined, { onSuccess: onIssued });
      }}
    >
      <div className="flex flex-col gap-3 sm:flex-row sm:items-start">
        <Field label="Name" name="name" className="flex-1">
          <Input value={name} maxLength={80} onValue={setTyped} />
        </Field>
        <Button type="submit" variant="primary" pending={create.isPending} className="h-10 sm:mt-6.5">
          Create key
        </Button>
      </div>
      <FormFailure />
    </Form>
  );
}
