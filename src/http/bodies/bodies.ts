/**
 * Reads the bodies of the API's requests so that large ones do not hold up other requests. A small body is read and
 * parsed at once. One that takes milliseconds to parse gets a turn of the event loop to itself, so that other work
 * runs between the bodies of a burst. A larger one waits for its share (large-body.ts) before more of it is read:
 * until then backpressure keeps it at the client, and a hang-up is only noticed when its turn comes. While it holds a
 * share it has to arrive at a minimum rate. Then it is parsed in a thread, one at a time, round-robin by account: 4
 * MB of JSON take from 20 to some hundred milliseconds. Only the parsed request comes back; unknown fields are
 * dropped in the thread, so that little has to be copied.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type BodyDecoding, type Pace, readBody } from "./body.js";
import { FairShares } from "./fair-shares.js";
import { parseJson } from "./json.js";
import { BodyShares, LargeBody } from "./large-body.js";
import type { ParseResult, ParseTask } from "./parse-worker.js";
import { programFile } from "../../adapters/program-files.js";
import { TaskLost, WorkerThread } from "../../adapters/worker-thread.js";
import { ServiceError } from "../../core/errors.js";
import { callerOf } from "../connection/caller.js";
import type { ParsedRequest } from "../../protocol/dialect.js";
import { type DialectName, dialects } from "../../protocol/dialects.js";

/** How many bodies of the largest size may be held at once. */
const largestAtOnce = 8;
/** Leaves enough of the request timeout for the body to arrive. */
const maxWaitMs = 20_000;
const maxWaiting = 1_000;
/** 6 KB a second: slower than any connection that would deliver a large body within the request timeout. */
const slowest: Pace = { everyMs: 5_000, bytes: 32 * 1024 };
/** For the thread: far more than any body takes. */
const parseMs = 30_000;
/** Parsed in well under a millisecond. */
const quickBytes = 8 * 1024;

export interface BodiesOptions {
  /** Of one body. */
  limitBytes: number;
  /** The thread's program, for tests of one that fails. */
  workerFile?: URL | undefined;
  maxWaitMs?: number;
  /** How fast a large body must arrive. */
  pace?: Pace;
  /** How bodies are read that are not sent as they are. */
  decoding?: BodyDecoding | undefined;
}

/** Whose body is parsed, and how. */
interface Work {
  dialect: DialectName;
  /** The account. */
  owner: string;
  signal: AbortSignal;
}

export class Bodies {
  readonly #limitBytes: number;
  readonly #shares: BodyShares;
  readonly #pace: Pace;
  readonly #decoding: BodyDecoding | undefined;
  readonly #parsing: FairShares;
  readonly #turns: FairShares;
  readonly #thread: WorkerThread<ParseTask, ParseResult>;

  constructor({ limitBytes, ...options }: BodiesOptions) {
    const waits = { maxWaitMs: options.maxWaitMs ?? maxWaitMs, maxWaiting };
    this.#limitBytes = limitBytes;
    const file = options.workerFile ?? programFile("http/bodies/parse-worker");
    this.#thread = new WorkerThread({ file, startMs: parseMs, taskMs: parseMs });
    this.#shares = new BodyShares({ limitBytes, totalBytes: (largestAtOnce - 1) * limitBytes, ...waits });
    this.#pace = options.pace ?? slowest;
    this.#decoding = options.decoding;
    this.#parsing = new FairShares({ total: 1, perOwner: 1, ...waits });
    this.#turns = new FairShares({ total: 1, perOwner: 1, ...waits });
  }

  /** Large bodies that wait for their turn. */
  get waiting(): number {
    return this.#shares.waiting + this.#parsing.waiting + this.#turns.waiting;
  }

  async read(dialect: DialectName, request: FastifyRequest, reply: FastifyReply): Promise<ParsedRequest> {
    const work = { dialect, owner: callerOf(request).account.id, signal: request.exchange.signal };
    const body = new LargeBody(this.#shares, work.owner, work.signal);
    let bytes: Buffer<ArrayBuffer> | undefined;
    try {
      bytes = await readBody(request, reply, this.#limitBytes, {
        large: body,
        pace: this.#pace,
        decoding: this.#decoding,
      });
      request.exchange.receipt?.noteRequest(bytes);
      if (bytes.length <= quickBytes) return dialects[dialect].read(parseJson(bytes));
      if (!body.isAdmitted) return await this.#parseInTurn(bytes, work);
      return await this.#parseInThread(bytes, work);
    } finally {
      // What a thread was given is cleared there; here it has no length any more, and cannot be filled.
      if (bytes !== undefined && bytes.length > 0) bytes.fill(0);
      body.release();
    }
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  async #parseInTurn(bytes: Buffer<ArrayBuffer>, { dialect, owner, signal }: Work): Promise<ParsedRequest> {
    const release = await this.#turns.take(owner, 1, signal);
    try {
      await nextTurn();
      return dialects[dialect].read(parseJson(bytes));
    } finally {
      release();
    }
  }

  /** The bytes are moved to the thread, and gone afterwards. */
  async #parseInThread(bytes: Buffer<ArrayBuffer>, { dialect, owner, signal }: Work): Promise<ParsedRequest> {
    const release = await this.#parsing.take(owner, 1, signal);
    try {
      return requestOf(await this.#thread.run({ dialect, bytes }, [bytes.buffer]));
    } catch (error) {
      const isLate = error instanceof TaskLost && error.reason === "timed_out";
      throw isLate ? new ServiceError("overloaded") : error;
    } finally {
      release();
    }
  }
}

function requestOf(result: ParseResult): ParsedRequest {
  switch (result.type) {
    case "parsed":
      return result.request;
    case "refused": {
      const { code, message, param } = result;
      throw new ServiceError(code, { message, ...(param === null ? {} : { param }) });
    }
    case "failed":
      throw new Error("A body could not be parsed.");
  }
}
