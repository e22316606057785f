import { useEffect, useRef, type ReactNode } from "react";

/** Takes the focus when it appears, since the button that created it is gone: a screen reader continues here. */
export function ShownOnce({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  return (
    <div ref={box} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      {children}
    </div>
  );
}
