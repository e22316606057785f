/** What matches, in groups: pages, keys, accounts (for admins, found by the service), the documentation. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { KeyRound, UserRound } from "lucide-react";
import { useMemo } from "react";
import type { AccountView } from "../../src/protocol/dashboard/api.js";
import { useDebounced } from "../hooks/use-debounced.ts";
import { useMe } from "../hooks/use-me.ts";
import { consoleQueries } from "../service/console-queries.ts";
import { request } from "../service/request.ts";
import { bestMatches } from "./match.ts";
import { docsPlaces, pagePlaces, type PageLink, type Place } from "./places.tsx";

export interface FoundGroup {
  label: string;
  places: Place[];
}

const mostOfAKind = 6;
const shortestSearch = 2;

interface Found {
  groups: FoundGroup[];
  searching: boolean;
  /** What could not be searched; null when all of it could. */
  failed: string | null;
}

export function useFound(query: string, links: readonly PageLink[]): Found {
  const isAdmin = useMe().account.role === "admin";
  const asks = query.trim() !== "";
  // The same index as the documentation's search has; loaded when something is looked for.
  const { data: docs } = useQuery({
    queryKey: ["docs-index"],
    queryFn: async () => (await import("virtual:docs-index")).default,
    staleTime: Infinity,
    enabled: asks,
  });
  const search = useDebounced(query.trim(), 200);
  const seeks = isAdmin && search.length >= shortestSearch;
  const accounts = useQuery({ ...accountSearch(search), enabled: seeks });
  // Found by the service: someone may have hundreds.
  const keys = useQuery({
    ...consoleQueries.keyPage({ search: search.slice(0, 200), status: "all", sort: "used" }),
    enabled: search !== "",
  });
  const groups = useMemo(() => {
    const of = (label: string, places: Place[]) => ({ label, places });
    const pages = pagePlaces(links);
    if (!asks) return [of("Pages", pages)];
    const keyPlaces = (keys.data?.keys ?? []).map(({ id, name, lastFour }): Place => {
      const href = `/app/keys?${new URLSearchParams({ search: id, status: "all" }).toString()}`;
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
      of("Pages", bestMatches(pages, query, mostOfAKind)),
      of("Keys", keyPlaces.slice(0, mostOfAKind)),
      of("Accounts", (accounts.data?.accounts ?? []).slice(0, mostOfAKind).map(accountPlace)),
      of("Documentation", docsPlaces(docs ?? [], query, mostOfAKind)),
    ].filter(({ places }) => places.length > 0);
  }, [asks, query, links, keys.data, accounts.data, docs]);
  const searching = asks && (search !== query.trim() || keys.isFetching || (isAdmin && accounts.isFetching));
  const failures = [
    ...(search !== "" && keys.isError ? ["Keys"] : []),
    ...(seeks && accounts.isError ? ["Accounts"] : []),
  ];
  return { groups, searching, failed: failures.length === 0 ? null : failures.join(" and ") };
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
