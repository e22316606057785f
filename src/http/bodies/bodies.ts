/**
 * Reads the bodies of the API's requests so that large ones do not hold up other requests. A small body is read and
 * parsed at once. One that takes milliseconds to parse gets a turn of the event loop to itself, so that other work
 * runs between the bodies of a burst. A larger one waits for its share (large-body.ts) before more of it is read:
 * until then backpressure keeps it at the client, and a hang-up is only noticed when its turn comes. While it holds a
 * share it has to arrive at a minimum rate. Then it is parsed in a thread, one at a time, round-robin by account: 4
 * MB of JSON take from 20 to some hundred milliseconds. Only the parsed request comes back; unknown fields are
 * dropped in the thread, so that little has to be copied.
 *
 * Images make bodies longer than text may be. Those have their own memory and thread: no text waits for them.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type BodyDecoding, type Pace, readBody, tooLarge } from "./body.js";
import { FairShares } from "./fair-shares.js";
import { parseJson } from "./json.js";
import { type BodyRooms, BodyShares, LargeBody } from "./large-body.js";
import type { ParseResult, ParseTask } from "./parse-worker.js";
import { programFile } from "../../adapters/program-files.js";
import { TaskLost, WorkerThread } from "../../adapters/worker-thread.js";
import { ServiceError } from "../../core/errors.js";
import { type Fairness, partyOf } from "../../core/serving/party.js";
import { callerOf } from "../connection/caller.js";
import type { ParsedRequest } from "../../protocol/dialect.js";
import { type DialectName, dialects } from "../../protocol/dialects.js";

/** How many bodies of the largest size may be held at once, and as many with images; half of these by one account. */
const largestAtOnce = 8;
/** Of those with images. They may be in memory while they wait. */
const maxImagesWaiting = 32;
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
  /** Of one body, its images not counted. */
  limitBytes: number;
  /** Of one body with its images; without it there is no room for more than text. */
  imageLimitBytes?: number | undefined;
  /** The thread's program, for tests of one that fails. */
  workerFile?: URL | undefined;
  maxWaitMs?: number;
  /** How fast a large body must arrive. */
  pace?: Pace;
  /** How bodies are read that are not sent as they are. */
  decoding?: BodyDecoding | undefined;
  /** Whether members of a team are scheduled separately, which is the default, or as one. */
  fairness?: Fairness | undefined;
}

/** Whose body is parsed, and how. */
interface Work {
  dialect: DialectName;
  /** The account. */
  owner: string;
  signal: AbortSignal;
}

/** One of several, each of which does one thing at a time. */
interface ParseThread {
  turns: FairShares;
  worker: WorkerThread<ParseTask, ParseResult>;
}

export class Bodies {
  readonly #rooms: BodyRooms;
  /** Who takes turns for this request. */
  readonly #ownerOf: (request: FastifyRequest) => string;
  readonly #pace: Pace;
  readonly #decoding: BodyDecoding | undefined;
  readonly #turns: FairShares;
  readonly #threads: { text: ParseThread; images: ParseThread };

  constructor({ limitBytes: textBytes, imageLimitBytes = 0, ...options }: BodiesOptions) {
    const waits = { maxWaitMs: options.maxWaitMs ?? maxWaitMs, maxWaiting };
    const limitBytes = Math.max(textBytes, imageLimitBytes);
    this.#rooms = {
      textBytes,
      limitBytes,
      text: new BodyShares({
        limitBytes: textBytes,
        totalBytes: (largestAtOnce - 1) * textBytes,
        ...waits,
      }),
      images: new FairShares({
        total: largestAtOnce * limitBytes,
        perOwner: (largestAtOnce / 2) * limitBytes,
        ...waits,
        maxWaiting: maxImagesWaiting,
      }),
    };
    this.#ownerOf = (request) => partyOf(callerOf(request), options.fairness);
    this.#pace = options.pace ?? slowest;
    this.#decoding = options.decoding;
    const file = options.workerFile ?? programFile("http/bodies/parse-worker");
    const oneAtATime = () => new FairShares({ total: 1, perOwner: 1, ...waits });
    const thread = (): ParseThread => ({
      turns: oneAtATime(),
      worker: new WorkerThread({ file, startMs: parseMs, taskMs: parseMs }),
    });
    this.#turns = oneAtATime();
    this.#threads = { text: thread(), images: thread() };
  }

  /** Large bodies that wait for their turn. */
  get waiting(): number {
    const { text, images } = this.#threads;
    return [this.#rooms.text, this.#rooms.images, text.turns, images.turns, this.#turns].reduce(
      (sum, { waiting }) => sum + waiting,
      0,
    );
  }

  /** Memory for what its images hold is given back when the exchange ends, or before by `exchange.releaseImages`. */
  async read(dialect: DialectName, request: FastifyRequest, reply: FastifyReply): Promise<ParsedRequest> {
    const { textBytes, limitBytes } = this.#rooms;
    const { exchange } = request;
    const owner = this.#ownerOf(request);
    const body = new LargeBody(this.#rooms, owner, exchange.signal);
    let bytes: Buffer<ArrayBuffer> | undefined;
    try {
      const mayBeLonger = dialects[dialect].images !== undefined;
      bytes = await readBody(request, reply, mayBeLonger ? limitBytes : textBytes, {
        large: body,
        pace: this.#pace,
        decoding: this.#decoding,
      });
      exchange.receipt?.noteRequest(bytes);
      const { length } = bytes;
      const work = { dialect, owner, signal: exchange.signal };
      const parsed = await this.#parse(bytes, body, work);
      const { imageChars = 0 } = parsed;
      if (length - imageChars > textBytes) throw tooLarge(textBytes, "bytes without its images");
      if (imageChars > 0) exchange.releaseImages = await body.keepImages(imageChars);
      return parsed;
    } finally {
      // What a thread was given is cleared there; here it has no length any more, and cannot be filled.
      if (bytes !== undefined && bytes.length > 0) bytes.fill(0);
      body.release();
    }
  }

  /** The same memory, for images that are fetched. */
  async holdImages(request: FastifyRequest, bytes: number): Promise<void> {
    const { exchange } = request;
    const before = exchange.releaseImages;
    const owner = this.#ownerOf(request);
    const release = await this.#rooms.images.take(owner, bytes, exchange.signal);
    exchange.releaseImages = () => {
      before?.();
      release();
    };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#threads).map(({ worker }) => worker.close()));
  }

  #parse(bytes: Buffer<ArrayBuffer>, body: LargeBody, work: Work): ParsedRequest | Promise<ParsedRequest> {
    if (bytes.length <= quickBytes) return dialects[work.dialect].read(parseJson(bytes));
    if (!body.isAdmitted) return this.#parseInTurn(bytes, work);
    const { images, text } = this.#threads;
    return this.#parseInThread(bytes, body.isAmongImages || mayHaveImages(bytes) ? images : text, work);
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
  async #parseInThread(
    bytes: Buffer<ArrayBuffer>,
    { turns, worker }: ParseThread,
    { dialect, owner, signal }: Work,
  ): Promise<ParsedRequest> {
    const release = await turns.take(owner, 1, signal);
    try {
      return requestOf(await worker.run({ dialect, bytes }, [bytes.buffer]));
    } catch (error) {
      const isLate = error instanceof TaskLost && error.reason === "timed_out";
      throw isLate ? new ServiceError("overloaded") : error;
    } finally {
      release();
    }
  }
}

/** By the type of one. A text that mentions it is only parsed elsewhere. */
const mayHaveImages = (bytes: Buffer): boolean => bytes.includes("image/");

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
