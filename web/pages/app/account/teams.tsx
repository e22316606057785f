/** The teams that one is in, and those that one may join by the domain of one's address. */
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Badge } from "../../../components/states/badge.tsx";
import { useChange, useReadAgain } from "../../../hooks/use-change.ts";
import { teamApi, teamQueries } from "../../../service/teams.ts";
import { roleName } from "../team/team-roles.ts";

export function OwnTeams() {
  const [, navigate] = useLocation();
  const { data } = useQuery(teamQueries.list);
  const readAgain = useReadAgain();
  const join = useChange((id: string) => teamApi.join(id), {
    onDone: async (_joined, id) => {
      await readAgain([teamQueries.list.queryKey]);
      navigate(`/app/teams/${id}`);
    },
    toastsErrors: true,
  });
  if (data === undefined || data.teams.length + data.offered.length === 0) return null;
  return (
    <Card title="Teams" flush>
      <ul className="divide-y divide-line">
        {data.teams.map((team) => (
          <li key={team.id} className="flex items-center justify-between gap-4 px-5 py-3 sm:px-6">
            <Link
              href={`/app/teams/${team.id}`}
              className="rounded-sm font-medium wrap-anywhere text-accent hover:underline"
            >
              {team.name}
            </Link>
            <Badge>{team.suspendedAt === null ? roleName(team.role) : "Suspended"}</Badge>
          </li>
        ))}
        {data.offered.map((team) => (
          <li key={team.id} className="flex items-center justify-between gap-4 px-5 py-3 sm:px-6">
            <span className="min-w-0">
              <span className="block font-medium wrap-anywhere">{team.name}</span>
              <span className="block text-sm text-muted">Open to addresses of your domain.</span>
            </span>
            <Button size="sm" pending={join.isPending} onClick={() => join.mutate(team.id)}>
              Join<span className="sr-only"> {team.name}</span>
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
