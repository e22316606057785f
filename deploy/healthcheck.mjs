/**
 * For images without a shell or curl: exits with 0 when the server on this machine answers 200.
 *
 *   node healthcheck.mjs [path, by default /healthz]
 */
import { argv, env, exit } from "node:process";

/* global fetch, AbortSignal */

const [, , path = "/healthz"] = argv;
const port = env.SOTTO_PORT ?? env.PORT ?? "8080";
try {
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(2000) });
  exit(status === 200 ? 0 : 1);
} catch {
  exit(1);
}
