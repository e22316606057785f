import { useEffect, useState } from "react";
import { useDebounced } from "./use-debounced.ts";
import { useUrlFilters } from "./use-url-filters.ts";

/** What a list is searched for: as it is typed, and trimmed once the typing pauses, as the address keeps it. */
export function useUrlSearch() {
  const [{ search: sought }, setFilters] = useUrlFilters({ search: "" });
  const [typed, setTyped] = useState(sought);
  const search = useDebounced(typed.trim());
  useEffect(() => setFilters({ search }), [search]);
  return { typed, setTyped, search };
}
