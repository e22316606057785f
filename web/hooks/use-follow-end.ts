import { useEffect, useLayoutEffect, useRef, useState } from "react";

const nearPx = 48;

/**
 * Keeps the end of the page in view while `content` grows, until the reader scrolls up; back at the end, it
 * follows again. `away` is true while there is more below.
 */
export function useFollowEnd(content: readonly unknown[]): { away: boolean; toEnd: () => void } {
  const following = useRef(true);
  const [away, setAway] = useState(false);
  const empty = content.length === 0;

  useEffect(() => {
    const look = () => {
      following.current = distanceToEnd() < nearPx;
      setAway(!following.current && !empty);
    };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, [empty]);

  useLayoutEffect(() => {
    if (empty) setAway(false);
    else if (following.current) scrollToEnd();
    else setAway(distanceToEnd() >= nearPx);
  }, [content, empty]);

  return {
    away,
    toEnd: () => {
      following.current = true;
      setAway(false);
      scrollToEnd();
    },
  };
}

function distanceToEnd(): number {
  const page = document.documentElement;
  return page.scrollHeight - page.clientHeight - page.scrollTop;
}

function scrollToEnd(): void {
  scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
}
