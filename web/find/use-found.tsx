/** What matches, in groups: pages, keys, accounts (for admins, found by the service), the documentation. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { KeyRound, UserRound } from "lucide-react";
import { useMemo } from "react";
import type { AccountView } from "../../src/protocol/dashboard-api.js";
import { useDebounced } from "../hooks/use-debounced.ts";
import { useMe } from "../hooks/use-me.ts";
import { api } from "../service/api.ts";
import { queries } from "../service/queries.ts";
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
  failed: boolean;
}

export function useFound(query: string, links: readonly PageLink[]): Found {
  const isAdmin = useMe().account.role === "admin";
  const asks = query.trim() !== "";
  const { data: keys } = useQuery(queries.keys);
  const { data: document } = useQuery({
    queryKey: ["openapi"],
    queryFn: api.openApi,
    staleTime: Infinity,
    enabled: asks,
  });
  const search = useDebounced(query.trim(), 200);
  const seeks = isAdmin && search.length >= shortestSearch;
  const accounts = useQuery({ ...accountSearch(search), enabled: seeks });
  const docs = useMemo(() => docsPlaces(document), [document]);
  const groups = useMemo(() => {
    const of = (label: string, places: Place[]) => ({ label, places });
    const pages = pagePlaces(links);
    if (!asks) return [of("Pages", pages)];
    const keyPlaces = (keys?.keys ?? []).map(({ id, name, lastFour }): Place => {
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
      of("Keys", bestMatches(keyPlaces, query, mostOfAKind)),
      of("Accounts", (accounts.data?.accounts ?? []).slice(0, mostOfAKind).map(accountPlace)),
      of("Documentation", bestMatches(docs, query, mostOfAKind)),
    ].filter(({ places }) => places.length > 0);
  }, [asks, query, links, keys, accounts.data, docs]);
  const searching = isAdmin && asks && (search !== query.trim() || accounts.isFetching);
  return { groups, searching, failed: seeks && accounts.isError };
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
  const href = `/admin/accounts?${new URLSearchParams({ search: email }).toString()}`;
  const note = suspendedAt === null ? planId : "suspended";
  return { id: `account:${id}`, title: email, context: id, note, icon: <UserRound />, href };
}
