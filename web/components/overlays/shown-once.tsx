import { useEffect, useRef, type ReactNode } from "react";

/** Takes the focus when it appears, since the button that made it has gone: a screen reader goes on here. */
export function ShownOnce({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  return (
    <div ref={box} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      {children}
    </div>
  );
}
