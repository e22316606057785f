import { lazy as reactLazy, type ComponentType } from "react";

const failed = new Set<() => void>();

/**
 * As React's, but a load that failed can be tried again. React keeps the failure for as long as the page is open, and
 * a page that could not be loaded offline would not load after reconnecting either.
 */
export function lazy<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  // Not asked for while offline: some browsers remember a failed import for as long as the page is open, too.
  const loadOnline = async () => {
    if (!navigator.onLine) throw new TypeError("The browser is offline.");
    return load();
  };
  const attempt = (): ComponentType<Props> =>
    reactLazy(() =>
      loadOnline().catch((error: unknown) => {
        failed.add(() => (Current = attempt()));
        throw error;
      }),
    );
  let Current = attempt();
  return function Lazy(props: Props) {
    return <Current {...props} />;
  };
}

/** For an error boundary, once it shows the failure: the next time they are rendered, they are loaded again. */
export function forgetFailedLoads(): void {
  for (const forget of failed) forget();
  failed.clear();
}
