import { useEffect, useState } from "react";

/**
 * A one-time token from the address's fragment (`/reset#token=…`), which never reaches a server or its log.
 * Read once, then removed from the address bar and this entry of the history.
 */
export function useFragmentValue(name: string): string | null {
  const [value] = useState(() => new URLSearchParams(location.hash.slice(1)).get(name));
  useEffect(() => {
    if (value !== null) history.replaceState(history.state, "", location.pathname + location.search);
  }, [value]);
  return value;
}
