/** A program that receives webhooks, and verifies them with the library of Standard Webhooks. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { vi } from "vitest";
import type { Clock } from "../../../src/core/clock.js";
import { eventually } from "../eventually.js";

export interface Received {
  id: string;
  type: string;
  data: Record<string, unknown>;
  headers: Record<string, string>;
  body: string;
}

type Answer = number | "nothing" | { status: number; location: string };

export class WebhookReceiver {
  readonly received: Received[] = [];
  /** What it answers with; the last of them again and again. */
  answers: Answer[] = [204];
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      const { type, data } = JSON.parse(body) as Pick<Received, "type" | "data">;
      this.received.push({ id: headers["webhook-id"] ?? "", type, data, headers, body });
      const answer = (this.answers.length > 1 ? this.answers.shift() : this.answers[0]) ?? 204;
      if (answer === "nothing") return;
      if (typeof answer === "number") response.writeHead(answer).end("not read");
      else response.writeHead(answer.status, { location: answer.location }).end();
    });
  });

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Resolves with the first so many, once they are there. */
  async first(count: number): Promise<Received[]> {
    await eventually(() => this.received.length >= count);
    return this.received.slice(0, count);
  }
}

/** Throws unless it was signed with the secret, now by this clock. */
export function verify(secret: string, { body, headers }: Received, clock: Clock): unknown {
  vi.useFakeTimers({ toFake: ["Date"], now: clock.now() });
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    vi.useRealTimers();
  }
}
