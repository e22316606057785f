/** How a server in the foreground ends: the first signal drains, the second ends at once. */
import type { App } from "../app.js";

export function stopOnSignal(app: Pick<App, "drain" | "close" | "abandon">, drainMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let signals = 0;
    const onSignal = () => {
      signals += 1;
      if (signals > 1) {
        app.abandon();
        process.exit(1);
      }
      const drained = app.drain(drainMs);
      console.log("\nStopping: running replies may finish. Press Ctrl-C again to end at once.");
      drained.then(() => app.close()).then(resolve, reject);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}
