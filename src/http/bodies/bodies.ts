/**
 * Reads the bodies of the API's requests so that large ones cost nobody else. A small body is read and parsed at
 * once; one that takes milliseconds to parse in a turn of the event loop of its own, so that a burst of them lets others
 * in between. A larger one first takes its bytes from what may be held at once, in all and by its account, and waits
 * for them before more of it is read: meanwhile the client's own connection holds it, and whether the client hangs
 * up is seen when its turn comes. Then it is parsed in a thread, one at a time, accounts in turns.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ChatRequest } from "../../protocol/chat.js";
import { parseChatRequest } from "../../protocol/chat-request.js";
import { callerOf } from "../connection/caller.js";
import { readBody } from "./body.js";
import { FairShares } from "./fair-shares.js";
import { parseJson } from "./json.js";
import { builtParseWorker, ParseThread } from "./parse-thread.js";

/** So many of the largest bodies may be held at once. */
const largestAtOnce = 8;
/** Leaves the rest of the time in which a request must arrive for its bytes. */
const maxWaitMs = 20_000;
const maxWaiting = 1_000;
/** Parsed in well under a millisecond. */
const quickBytes = 8 * 1024;

export interface BodiesOptions {
  /** Of one body. */
  limitBytes: number;
  /** Where the thread begins; null to do without. */
  workerFile?: string | null;
  maxWaitMs?: number;
}

export class Bodies {
  readonly #limitBytes: number;
  readonly #bytes: FairShares;
  readonly #parsing: FairShares;
  readonly #turns: FairShares;
  readonly #thread: ParseThread | null;

  constructor({ limitBytes, workerFile = builtParseWorker(), ...options }: BodiesOptions) {
    const waits = { maxWaitMs: options.maxWaitMs ?? maxWaitMs, maxWaiting };
    this.#limitBytes = limitBytes;
    this.#bytes = new FairShares({ total: largestAtOnce * limitBytes, perOwner: limitBytes, ...waits });
    this.#parsing = new FairShares({ total: 1, perOwner: 1, ...waits });
    this.#turns = new FairShares({ total: 1, perOwner: 1, ...waits });
    this.#thread = workerFile === null ? null : new ParseThread(workerFile);
  }

  /** Large bodies that wait for their turn. */
  get waiting(): number {
    return this.#bytes.waiting + this.#parsing.waiting + this.#turns.waiting;
  }

  async readChat(request: FastifyRequest, reply: FastifyReply): Promise<ChatRequest> {
    const owner = callerOf(request).account.id;
    const { signal } = request.exchange;
    const held: (() => void)[] = [];
    try {
      const bytes = await readBody(request, reply, this.#limitBytes, async (length) => {
        held.push(await this.#bytes.take(owner, length, signal));
      });
      if (bytes.length <= quickBytes) return parseChatRequest(parseJson(bytes));
      if (held.length === 0) return await this.#parseInTurn(bytes, owner, signal);
      return await this.#parseLarge(bytes, owner, signal);
    } finally {
      for (const giveBack of held) giveBack();
    }
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }

  async #parseInTurn(bytes: Buffer<ArrayBuffer>, owner: string, signal: AbortSignal): Promise<ChatRequest> {
    const release = await this.#turns.take(owner, 1, signal);
    try {
      await nextTurn();
      return parseChatRequest(parseJson(bytes));
    } finally {
      release();
    }
  }

  async #parseLarge(bytes: Buffer<ArrayBuffer>, owner: string, signal: AbortSignal): Promise<ChatRequest> {
    const release = await this.#parsing.take(owner, 1, signal);
    try {
      // Without a thread this holds up everyone.
      if (this.#thread === null) return await this.#parseInTurn(bytes, owner, signal);
      return await this.#thread.parse(bytes);
    } finally {
      release();
    }
  }
}
