/** Leaving a team, and deleting it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { TeamPage } from "../../../../src/protocol/dashboard/teams.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { teamApi } from "../../../service/teams.ts";
import { plural } from "../../../units.ts";

export function TeamEnd({ team }: { team: TeamPage }) {
  const [open, setOpen] = useState<"leave" | "delete" | null>(null);
  const close = () => setOpen(null);
  return (
    <Card
      title={team.role === "owner" ? "Leave or delete" : "Leave"}
      description="When you leave, your keys in this team stop working immediately. Service keys and the team’s usage stay."
    >
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => setOpen("leave")}>Leave team…</Button>
        {team.role === "owner" && <Button onClick={() => setOpen("delete")}>Delete team…</Button>}
      </div>
      {open === "leave" && <LeaveDialog team={team} onClose={close} />}
      {open === "delete" && <DeleteDialog team={team} onClose={close} />}
    </Card>
  );
}

/** To one's own account, with nothing left of the team. */
function useDepartureFrom(team: TeamPage): (words: string) => Promise<void> {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return async (words) => {
    navigate("/app");
    toast(words);
    client.removeQueries({ queryKey: ["teams", team.id] });
    await client.invalidateQueries({ queryKey: ["teams"], exact: true });
  };
}

function LeaveDialog({ team, onClose }: { team: TeamPage; onClose: () => void }) {
  const depart = useDepartureFrom(team);
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Leave team"
      onConfirm={async () => {
        await teamApi.leave(team.id);
        await depart(`You left ${team.name}.`);
      }}
    >
      Your keys in {team.name} stop working immediately. To come back you need a new invitation.
    </ConfirmDialog>
  );
}

function DeleteDialog({ team, onClose }: { team: TeamPage; onClose: () => void }) {
  const depart = useDepartureFrom(team);
  const { data } = useQuery({
    queryKey: ["teams", team.id, "counts"],
    queryFn: () => teamApi.counts(team.id),
    gcTime: 0,
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete team"
      typeToConfirm={team.name}
      onConfirm={async () => {
        await teamApi.remove(team.id, team.name);
        await depart(`${team.name} was deleted.`);
      }}
    >
      {data === undefined
        ? "This deletes the team with its memberships, keys, invitations and usage."
        : `This deletes ${plural(data.members, "membership")}, ${plural(data.keys, "key")} (${data.liveKeys} working), ${plural(data.invitations, "invitation")} and the team’s usage.`}{" "}
      Programs that use its keys are refused immediately. This cannot be undone.
    </ConfirmDialog>
  );
}
