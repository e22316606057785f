/**
 * What matches, in groups: actions, pages, keys, accounts (for admins, found by the service), the documentation. The
 * keys are those of the space whose page is open.
 */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { KeyRound, UserRound } from "lucide-react";
import { useMemo } from "react";
import type { AccountView } from "../../src/protocol/dashboard/api.js";
import { useDebounced } from "../hooks/use-debounced.ts";
import { useMe } from "../hooks/use-me.ts";
import { useSpace } from "../hooks/use-space.ts";
import { request } from "../service/request.ts";
import { useTheme } from "../hooks/use-theme.ts";
import { queries } from "../service/queries.ts";
import { mayHaveKeys, useTeam } from "../service/teams.ts";
import type { ListedKeyView } from "../../src/protocol/dashboard/keys.js";
import {
  accountActions,
  commandIn,
  inviteAction,
  isAccountVerb,
  isKeyVerb,
  keyActions,
  namedActions,
  type Action,
  type Command,
} from "./actions.tsx";
import { bestMatches } from "./match.ts";
import { docsPlaces, pagePlaces, type PageLink, type Place, type Result } from "./places.tsx";

interface FoundGroup {
  label: string;
  results: Result[];
}

const mostOfAKind = 6;
const shortestSearch = 2;

interface Found {
  groups: FoundGroup[];
  searching: boolean;
  /** What could not be searched; null if everything was. */
  failed: string | null;
}

export function useFound(query: string, links: readonly PageLink[]): Found {
  const isAdmin = useMe().account.role === "admin";
  const space = useSpace();
  const { data: team } = useTeam(space.id);
  const keysPage = space.address("/keys");
  const hasKeys = space.id === null || (team !== undefined && mayHaveKeys(team.role));
  const [theme] = useTheme();
  const asks = query.trim() !== "";
  // The same index as the documentation's search; loaded with the first query.
  const { data: docs } = useQuery({
    queryKey: ["docs-index"],
    queryFn: async () => (await import("virtual:docs-index")).default,
    staleTime: Infinity,
    enabled: asks,
  });
  const search = useDebounced(query.trim(), 200);
  const seeks = isAdmin && search.length >= shortestSearch;
  const accounts = useQuery({ ...accountSearch(search), enabled: seeks });
  // Searched by the service: an account may have hundreds.
  const keys = useQuery({
    ...queries.keyPage({ search: search.slice(0, 200), status: "all", sort: "used" }, space.id),
    enabled: hasKeys && search !== "",
  });
  const { data: models } = useQuery({ ...queries.admin.models, enabled: isAdmin && asks });
  // What a verb is done to is found by what follows it: "revoke ja2T". Never among what was found for fewer letters.
  const command = search === query.trim() ? commandIn(search, isAdmin) : null;
  const subjectKeys = useQuery({
    ...queries.keyPage({ search: command?.subject.slice(0, 200) ?? "", sort: "used" }, space.id),
    enabled: hasKeys && command !== null && isKeyVerb(command.verb),
  });
  const subjectAccounts = useQuery({
    ...accountSearch(command?.subject ?? ""),
    enabled: command !== null && isAccountVerb(command.verb),
  });
  const groups = useMemo(() => {
    const of = (label: string, results: Result[]) => ({ label, results });
    const pages = pagePlaces(links);
    const named = namedActions({ isAdmin, hasKeys, theme, models: models?.models ?? [] });
    if (!asks) return [of("Pages", pages), of("Actions", named)];
    const commanded = commandedActions(command, subjectKeys.data?.keys, subjectAccounts.data?.accounts);
    const actions = [...commanded, ...bestMatches(named, query, mostOfAKind)].slice(0, mostOfAKind);
    const isMeant = actions[0]?.title.toLowerCase().startsWith(query.trim().toLowerCase()) ?? false;
    const actionsFirst = commanded.length > 0 || isMeant;
    const keyPlaces = (keys.data?.keys ?? []).map(({ id, name, lastFour }): Place => {
      const href = `${keysPage}?${new URLSearchParams({ search: id, status: "all" }).toString()}`;
      const note = `…${lastFour}`;
      return {
        id: `key:${id}`,
        title: name,
        context: `key ${lastFour} ${id}`,
        note,
        icon: <KeyRound />,
        href,
      };
    });
    return [
      of("Actions", actionsFirst ? actions : []),
      of("Pages", bestMatches(pages, query, mostOfAKind)),
      of("Actions", actionsFirst ? [] : actions),
      of("Keys", keyPlaces.slice(0, mostOfAKind)),
      of("Accounts", (accounts.data?.accounts ?? []).slice(0, mostOfAKind).map(accountPlace)),
      of("Documentation", docsPlaces(docs ?? [], query, mostOfAKind)),
    ].filter(({ results }) => results.length > 0);
  }, [
    ...[asks, query, links, keys.data, accounts.data, docs, isAdmin, hasKeys, keysPage, theme, models],
    ...[command?.verb, command?.subject, subjectKeys.data, subjectAccounts.data],
  ]);
  const searching =
    asks &&
    (search !== query.trim() ||
      [keys, accounts, subjectKeys, subjectAccounts].some(({ isFetching }) => isFetching));
  const failures = [
    ...((search !== "" && keys.isError) || subjectKeys.isError ? ["Keys"] : []),
    ...((seeks && accounts.isError) || subjectAccounts.isError ? ["Accounts"] : []),
  ];
  return { groups, searching, failed: failures.length === 0 ? null : failures.join(" and ") };
}

function commandedActions(
  command: Command | null,
  keys: readonly ListedKeyView[] = [],
  accounts: readonly AccountView[] = [],
): Action[] {
  if (command === null) return [];
  const { verb, subject } = command;
  if (isKeyVerb(verb)) return keyActions(verb, keys);
  if (isAccountVerb(verb)) return accountActions(verb, accounts);
  return /^\S+@\S+$/.test(subject) ? [inviteAction(subject)] : [];
}

const accountSearch = (search: string) =>
  queryOptions({
    queryKey: ["admin", "find-accounts", search],
    queryFn: () =>
      request("GET", `/api/admin/accounts?${new URLSearchParams({ search }).toString()}`) as Promise<{
        accounts: AccountView[];
      }>,
  });

function accountPlace({ id, email, planId, suspendedAt }: AccountView): Place {
  const href = `/admin/accounts/${encodeURIComponent(id)}`;
  const note = suspendedAt === null ? planId : "suspended";
  return { id: `account:${id}`, title: email, context: id, note, icon: <UserRound />, href };
}
