import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/**
 * A number that changes when the page is left, to be used as a `key`, so that nothing is left of its state when
 * the browser shows it again on Back. Browsers keep a page in memory for that (the back/forward cache) and freeze
 * it right after `pagehide`, so the change cannot wait for the next frame.
 */
export function useVisit(): number {
  const [visit, setVisit] = useState(0);
  useEffect(() => {
    const leave = ({ persisted }: PageTransitionEvent) => {
      // A page that is not cached is destroyed with all its state.
      if (persisted) flushSync(() => setVisit((before) => before + 1));
    };
    addEventListener("pagehide", leave);
    return () => removeEventListener("pagehide", leave);
  }, []);
  return visit;
}
