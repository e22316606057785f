import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import type { TeamPage } from "../../../../src/protocol/dashboard/teams.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field, Input } from "../../../components/controls/field.tsx";
import { Form, FormFailure } from "../../../components/controls/form.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { teamApi } from "../../../service/teams.ts";

export function TeamSettings({ team }: { team: TeamPage }) {
  const [name, setName] = useState(team.name);
  const [domain, setDomain] = useState(team.joinDomain ?? "");
  const save = useChange(
    () => teamApi.save(team.id, { name, joinDomain: domain.trim() === "" ? null : domain }),
    { done: "Team saved", reads: [["teams"]] },
  );
  return (
    <Card title="Settings">
      <Form
        className="flex max-w-lg flex-col gap-5"
        error={save.error}
        onSubmit={() => {
          save.mutate();
        }}
      >
        <Field label="Name" name="name">
          <Input value={name} maxLength={longest.teamName} autoComplete="off" onValue={setName} />
        </Field>
        <Field
          label="Open to a domain"
          aside="optional"
          hint="Everyone whose verified address ends in it may join as a member."
          name="joinDomain"
        >
          <Input
            value={domain}
            placeholder="example.com"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onValue={setDomain}
          />
        </Field>
        <FormFailure />
        <div>
          <Button type="submit" pending={save.isPending}>
            Save
          </Button>
        </div>
      </Form>
    </Card>
  );
}
