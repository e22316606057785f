import { LogoMark } from "../frame/logo.tsx";

/** Shown while a page's chunk loads. Appears after a delay, so that fast loads show nothing. */
export function PageLoading() {
  return (
    <div role="status" className="late flex min-h-[60vh] items-center justify-center text-muted">
      <LogoMark className="h-7 animate-breathe" />
      <span className="sr-only">Loading</span>
    </div>
  );
}
