/** Checks that a port can be listened on, by listening for a moment. */
import { once } from "node:events";
import { createServer } from "node:net";

/** Rejects with the error of `listen`. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
  } finally {
    server.close();
  }
}
