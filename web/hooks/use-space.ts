import { useLocation } from "wouter";

/** Whose keys, usage and limits the pages show: one's own, or a team's. The address says it. */
export interface Space {
  /** Of the team; null for one's own account. */
  id: string | null;
  /** Where a page of this space is: `address("/keys")`. */
  address: (page: string) => string;
}

export function useSpace(): Space {
  const [path] = useLocation();
  return spaceOf(/^\/app\/teams\/(\w+)/.exec(path)?.[1] ?? null);
}

export const spaceOf = (id: string | null): Space => ({
  id,
  address: (page) => (id === null ? `/app${page}` : `/app/teams/${id}${page}`),
});
