/** Switches between one's own account and the teams that one is in. Without a team there is nothing to switch. */
import { useQuery } from "@tanstack/react-query";
import { ChevronsUpDown, UserRound, Users } from "lucide-react";
import { Menu, MenuLabel, MenuLink } from "../components/controls/menu.tsx";
import { spaceOf, type Space } from "../hooks/use-space.ts";
import { teamQueries } from "../service/teams.ts";

export function SpaceSwitch({ space }: { space: Space }) {
  const { data } = useQuery(teamQueries.list);
  const teams = data?.teams ?? [];
  if (teams.length === 0) return null;
  const name = teams.find(({ id }) => id === space.id)?.name ?? (space.id === null ? "Personal" : "Team");
  return (
    <div className="mb-3 short:mb-2">
      <Menu
        align="start"
        trigger={
          <button
            type="button"
            className="flex w-full items-center gap-2.5 rounded-md border border-line bg-surface px-2.5 py-2 text-left text-sm hover:border-edge [&>svg]:size-4"
          >
            {space.id === null ? <UserRound aria-hidden /> : <Users aria-hidden />}
            <span className="sr-only">Space:</span>
            <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
            <ChevronsUpDown className="shrink-0 text-muted" aria-hidden />
          </button>
        }
      >
        <MenuLabel>Switch to</MenuLabel>
        <MenuLink href="/app" icon={<UserRound />} isCurrent={space.id === null}>
          Personal
        </MenuLink>
        {teams.map((team) => (
          <MenuLink
            key={team.id}
            href={spaceOf(team.id).address("")}
            icon={<Users />}
            isCurrent={space.id === team.id}
          >
            <span className="max-w-60 truncate">{team.name}</span>
          </MenuLink>
        ))}
      </Menu>
    </div>
  );
}
