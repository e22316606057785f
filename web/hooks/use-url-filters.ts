import { useSearchParams } from "wouter";

export type Filters<Name extends string> = Record<Name, string>;

/**
 * A list's filters, kept in the address, so that it can be reloaded, bookmarked and shared. Values that equal their
 * default in `usual` are omitted. Changes replace the entry in the history: Back leaves the page.
 */
export function useUrlFilters<Name extends string>(
  usual: Filters<Name>,
): [Filters<Name>, (change: Partial<Filters<Name>>) => void] {
  const [parameters, setParameters] = useSearchParams();
  const change = (changes: Partial<Filters<Name>>) =>
    setParameters((before) => withFilters(before, usual, changes), { replace: true });
  return [filtersIn(parameters, usual), change];
}

export function filtersIn<Name extends string>(
  parameters: URLSearchParams,
  usual: Filters<Name>,
): Filters<Name> {
  return Object.fromEntries(
    namesOf(usual).map((name) => [name, parameters.get(name) ?? usual[name]]),
  ) as Filters<Name>;
}

/** The address's parameters after a change; parameters that are not filters stay. */
export function withFilters<Name extends string>(
  before: URLSearchParams,
  usual: Filters<Name>,
  changes: Partial<Filters<Name>>,
): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const name of namesOf(usual)) {
    const value = changes[name];
    if (value === undefined) continue;
    if (value === usual[name]) next.delete(name);
    else next.set(name, value);
  }
  return next;
}

const namesOf = <Name extends string>(usual: Filters<Name>): Name[] => Object.keys(usual) as Name[];
