import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import type { TeamPage } from "../../../../src/protocol/dashboard/teams.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { teamApi } from "../../../service/teams.ts";

export function TeamSettings({ team }: { team: TeamPage }) {
  const client = useQueryClient();
  const [name, setName] = useState(team.name);
  const [domain, setDomain] = useState(team.joinDomain ?? "");
  const save = useMutation({
    mutationFn: () => teamApi.save(team.id, { name, joinDomain: domain.trim() === "" ? null : domain }),
    onSuccess: async () => {
      toast("Team saved");
      await client.invalidateQueries({ queryKey: ["teams"] });
    },
  });
  const failure = formError(save.error, ["name", "joinDomain"]);
  return (
    <Card title="Settings">
      <Form
        className="flex max-w-lg flex-col gap-5"
        error={save.error}
        onSubmit={() => {
          save.mutate();
        }}
      >
        <Field label="Name" error={fieldError(save.error, "name")}>
          <Input
            value={name}
            maxLength={longest.teamName}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field
          label="Open to a domain"
          aside="optional"
          hint="Everyone whose verified address ends in it may join as a member."
          error={fieldError(save.error, "joinDomain")}
        >
          <Input
            value={domain}
            placeholder="example.com"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setDomain(event.target.value)}
          />
        </Field>
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        <div>
          <Button type="submit" pending={save.isPending}>
            Save
          </Button>
        </div>
      </Form>
    </Card>
  );
}
