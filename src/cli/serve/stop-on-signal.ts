/** How a server in the foreground ends: the first signal drains, the second ends immediately. */
import type { App } from "../../app/app.js";

const signals = ["SIGTERM", "SIGINT"] as const;

/**
 * Ends the process on a signal that comes before there is anything to drain. Without a handler the first process of
 * a container would not hear SIGTERM at all. Returns how to stop listening.
 */
export function exitOnSignal(): () => void {
  const onSignal = () => {
    console.log("\nStopping: the server had not started yet.");
    process.exit(0);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}

/** Resolves when the app is closed after a signal. `onStopping` is called when the signal comes. */
export function stopOnSignal(
  app: Pick<App, "drain" | "close" | "abandon">,
  drainMs: number,
  onStopping: () => void = () => undefined,
  /** Where it is told to stop by other means than signals. */
  listen: (onSignal: () => void) => void = listenToSignals,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0;
    const onSignal = () => {
      received += 1;
      if (received > 1) {
        app.abandon();
        process.exit(1);
      }
      onStopping();
      const drained = app.drain(drainMs);
      if (listen === listenToSignals) console.log(stoppingNotice);
      drained.then(() => app.close()).then(resolve, reject);
    };
    listen(onSignal);
  });
}

export const stoppingNotice =
  "\nStopping: running replies may finish. Press Ctrl-C again to end immediately.";

export function listenToSignals(onSignal: () => void): void {
  for (const signal of signals) process.on(signal, onSignal);
}

/** For a process that another tells what to do: a terminal and systemd send signals to all processes of a server. */
export function ignoreSignals(): void {
  for (const signal of [...signals, "SIGHUP"] as const) process.on(signal, () => undefined);
}
