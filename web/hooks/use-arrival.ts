import { useEffect, useRef } from "react";
import { useLocation } from "wouter";

/**
 * After a change of page: back to the top, and the focus on the page's content, so that the keyboard and a
 * screen reader go on from there as after a full load. An address with a fragment goes to that part instead.
 */
export function useArrival(): void {
  const [path] = useLocation();
  const previous = useRef(path);
  useEffect(() => {
    if (previous.current === path) return;
    previous.current = path;
    if (location.hash !== "") return;
    scrollTo(0, 0);
    document.getElementById("main")?.focus({ preventScroll: true });
  }, [path]);
}
