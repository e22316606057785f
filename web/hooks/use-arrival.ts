import { useEffect, useRef } from "react";
import { useLocation } from "wouter";

/**
 * After navigation: scrolls to the top and moves the focus to the page's content, so that keyboard and screen reader
 * continue there as after a full load. An address with a fragment scrolls to that part instead.
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
