import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { noKeyLimits } from "../../../../src/core/entities.js";
import type { MemberView, TeamPage } from "../../../../src/protocol/dashboard/teams.js";
import { Button } from "../../../components/controls/button.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Address } from "../../../components/text/address.tsx";
import { formError } from "../../../form-errors.ts";
import { teamApi } from "../../../service/teams.ts";
import { KeyLimitsField, limitFieldNames, limitsToSend, typedLimits } from "../keys/key-limits-field.tsx";

interface MemberLimitsDialogProps {
  team: TeamPage;
  member: MemberView;
  onClose: () => void;
}

/** What one member may use of the team's limits, with all of their keys together. */
export function MemberLimitsDialog({ team, member, onClose }: MemberLimitsDialogProps) {
  const client = useQueryClient();
  const [limits, setLimits] = useState(typedLimits(member.limits));
  const save = useMutation({
    mutationFn: () =>
      teamApi.setLimits(team.id, member.accountId, { limits: limitsToSend(limits) ?? noKeyLimits }),
    onSuccess: async () => {
      toast(`Limits of ${member.email} changed`);
      onClose();
      await client.invalidateQueries({ queryKey: ["teams", team.id] });
    },
  });
  const failure = formError(save.error, limitFieldNames);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!save.isPending}
      title="Change limits"
      description={
        <>
          What <Address email={member.email} className="text-ink" /> may use of the team’s limits, with all of
          their keys together.
        </>
      }
      footer={
        <>
          <Button onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button type="submit" form="member-limits" variant="primary" pending={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Form
        id="member-limits"
        className="flex flex-col gap-5"
        error={save.error}
        onSubmit={() => {
          save.mutate();
        }}
      >
        <KeyLimitsField
          label="Set lower limits than the team’s"
          hint="So that one member cannot use up what the others need."
          value={limits}
          onChange={setLimits}
          plan={team.plan}
          error={save.error}
        />
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      </Form>
    </Dialog>
  );
}
