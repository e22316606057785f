/**
 * A load balancer as people put in front of replicas: round robin over those whose `/readyz` says yes, connections
 * kept open, and another replica tried only when one refuses the connection. Anything else that goes wrong reaches
 * the client: 502 before the response, a broken stream after.
 */
import { once } from "node:events";
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

const checkEveryMs = 100;

export interface Balancer {
  url: string;
  /** Responses of each replica so far, in their order. */
  readonly answered: readonly number[];
  /** Whether the replica is given new requests. */
  isIn(index: number): boolean;
  close(): Promise<void>;
}

interface Target {
  url: URL;
  isIn: boolean;
  answered: number;
}

export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const targets: Target[] = urls.map((url) => ({ url: new URL(url), isIn: true, answered: 0 }));
  const agent = new Agent({ keepAlive: true });
  const closed = new AbortController();
  const checks = targets.map((target) => keepChecking(target, closed.signal));
  let turn = 0;

  const passOn = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    turn += 1;
    const inTurn = targets.map((_, index) => targets[(turn + index) % targets.length]);
    for (const target of inTurn) {
      if (target?.isIn !== true) continue;
      const answer = await send(target, incoming, body, response).catch((error: unknown) => error);
      if (isRefusal(answer)) continue;
      if (!(answer instanceof Error)) return;
      break;
    }
    response.writeHead(502).end();
  };
  const send = async (target: Target, incoming: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const { method, headers } = incoming;
    const outgoing = request(new URL(incoming.url ?? "/", target.url), { method, headers, agent }).end(body);
    const hangUp = () => outgoing.destroy();
    response.once("close", hangUp);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    // Over once the response is: the connection goes on to the next request.
    answer.once("end", () => response.off("close", hangUp));
    target.answered += 1;
    response.writeHead(answer.statusCode ?? 502, ownHeaders(answer));
    answer.on("error", () => response.destroy()).pipe(response);
  };

  const server = createServer((incoming, response) => void passOn(incoming, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get answered() {
      return targets.map(({ answered }) => answered);
    },
    isIn: (index) => targets[index]?.isIn === true,
    close: async () => {
      closed.abort();
      await Promise.all(checks);
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

async function keepChecking(target: Target, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(new URL("/readyz", target.url), { signal }).catch(() => null);
    await answer?.arrayBuffer().catch(() => null);
    target.isIn = answer?.ok === true;
    await sleep(checkEveryMs, null, { signal }).catch(() => null);
  }
}

const isRefusal = (answer: unknown): boolean =>
  answer instanceof Error && "code" in answer && answer.code === "ECONNREFUSED";

/** Without what is said of the connection to the replica. */
function ownHeaders({ headers }: IncomingMessage): IncomingMessage["headers"] {
  const { connection: _c, "keep-alive": _k, "transfer-encoding": _t, ...own } = headers;
  return own;
}
