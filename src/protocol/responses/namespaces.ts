/**
 * Functions in a namespace: Codex offers the tools of every MCP server and its sub-agents in that form. Models know one
 * flat list of functions, so each gets a name that says both and that no other has. On the wire they keep their own.
 */

/** A function of a namespace, and what the model calls it. */
export interface CallName {
  namespace: string;
  name: string;
  as: string;
}

const longest = 64;
const separator = "__";

/** A name for each function, in their order, of which none is in `taken`. */
export function nameCalls(
  functions: readonly Omit<CallName, "as">[],
  taken: readonly string[],
): readonly CallName[] {
  const used = new Set(taken);
  return functions.map(({ namespace, name }) => {
    const joined = joinedName(namespace, name);
    let as = joined;
    for (let number = 2; used.has(as); number++) {
      const ending = `_${number}`;
      as = joined.slice(0, longest - ending.length) + ending;
    }
    used.add(as);
    return { namespace, name, as };
  });
}

/** What the model calls it, or would if it were offered. */
export const nameInPrompt = (names: readonly CallName[], namespace: string, name: string): string =>
  names.find((one) => one.namespace === namespace && one.name === name)?.as ?? joinedName(namespace, name);

/** As the client knows a function that the model called. */
export function nameOnWire(names: readonly CallName[], called: string): { name: string; namespace?: string } {
  const found = names.find(({ as }) => as === called);
  return found === undefined ? { name: called } : { name: found.name, namespace: found.namespace };
}

/** The function's own name matters more: the namespace is cut where both are too long. */
function joinedName(namespace: string, name: string): string {
  const room = longest - separator.length - name.length;
  if (room < 1) return name.slice(0, longest);
  return `${namespace.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, room)}${separator}${name}`;
}
