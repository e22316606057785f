import { useSearchParams } from "wouter";

type Filters<Name extends string> = Record<Name, string>;

/**
 * What a list is narrowed to, kept in the address, so that it can be reloaded, bookmarked and sent to others. A value
 * that is as in `usual` is left out of the address. Changes replace the entry in the history: Back leaves the page.
 */
export function useUrlFilters<Name extends string>(
  usual: Filters<Name>,
): [Filters<Name>, (change: Partial<Filters<Name>>) => void] {
  const [parameters, setParameters] = useSearchParams();
  const names = Object.keys(usual) as Name[];
  const filters = Object.fromEntries(
    names.map((name) => [name, parameters.get(name) ?? usual[name]]),
  ) as Filters<Name>;
  const change = (changes: Partial<Filters<Name>>) =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        for (const name of names) {
          const value = changes[name];
          if (value === undefined) continue;
          if (value === usual[name]) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true },
    );
  return [filters, change];
}
