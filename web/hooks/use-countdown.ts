import { useEffect, useState } from "react";

/** Whole seconds left of `seconds` that were counted from the moment `since`; never below 0. */
export function useCountdown(seconds: number, since: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil(seconds - Math.max(0, now - since) / 1_000));
}
