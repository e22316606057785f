import { LogoMark } from "../frame/logo.tsx";

/** While a page's chunk arrives. Appears late, so that a fast load shows nothing at all. */
export function PageLoading() {
  return (
    <div role="status" className="late flex min-h-[60vh] items-center justify-center text-muted">
      <LogoMark className="h-7 animate-breathe" />
      <span className="sr-only">Loading</span>
    </div>
  );
}
