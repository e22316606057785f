/**
 * Sends deliveries to webhooks. The address policy of engines on the network applies, to what a name resolves to as well;
 * no redirect is followed. Time is limited, and of an answer its status is all that matters: the rest is not read, and the
 * connection is closed where that would take more than a few bytes.
 */
import { Agent } from "undici";
import { packageVersion } from "./program-files.js";
import type { DeliveryError, WebhookSender } from "../core/events/ports.js";
import {
  guardedLookup,
  isAddressError,
  isForbiddenAddress,
  isForbiddenHost,
  type LookupAll,
} from "./address-policy.js";

const timeoutMs = 10_000;
const connectMs = 5_000;
const mostAnswerBytes = 16 * 1024;

export class WebhookClient implements WebhookSender {
  readonly #agent: Agent;

  constructor({ lookupAll }: { lookupAll?: LookupAll } = {}) {
    this.#agent = new Agent({
      connections: 4,
      keepAliveTimeout: 1_000,
      connect: {
        timeout: connectMs,
        lookup: guardedLookup((address) => !isForbiddenAddress(address), lookupAll),
      },
    });
  }

  async send(...[address, headers, body, signal]: Parameters<WebhookSender["send"]>) {
    const url = new URL(address);
    if (isForbiddenHost(url)) return failed("address_not_allowed");
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "POST",
        headers: {
          ...headers,
          "content-type": "application/json",
          "user-agent": `Sotto/${packageVersion()} (webhooks)`,
        },
        body,
        signal: AbortSignal.any([signal, limit]),
      });
      await answer.body.dump({ limit: mostAnswerBytes, signal: limit }).catch(() => undefined);
      return { status: answer.statusCode, error: null };
    } catch (error) {
      signal.throwIfAborted();
      if (isAddressError(error)) return failed("address_not_allowed");
      return failed(limit.aborted ? "timeout" : "unreachable");
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

const failed = (error: DeliveryError) => ({ status: null, error });
