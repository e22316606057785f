/**
 * One end of the channel between two processes of this program: calls, which are answered, and notes, which are not.
 * What is sent in one turn of the event loop travels as one message: under load, sending costs more than everything
 * else about a call. Order is kept.
 *
 * A call that is not answered in time is rejected, and from then on every call is, without a wait, until something arrives
 * from the other process: one that hangs makes nobody wait a second time, and its late answer says that it no longer
 * does. When it ends, calls that wait for an answer are rejected.
 */
import { ServiceError } from "../core/errors.js";
import { withTimeLimit } from "../core/time-limit.js";

/** A method is called or noted by its name. What it takes and returns must survive JSON. */
export type Methods<T> = { [K in keyof T]: (...given: never[]) => unknown };

export interface ProcessLinkOptions {
  /** Never throws. */
  send(message: unknown): void;
  /** How long a call waits for its answer. */
  answerMs: number;
}

type Sent =
  | ["note", name: string, given: never[]]
  | ["call", name: string, given: never[], id: number]
  | ["answer", id: number, value: unknown]
  | ["failure", id: number, message: string];

type Handler = (...given: never[]) => unknown;

type LateHandlers<T extends Methods<T>> = {
  [K in keyof T]?: (answer: Awaited<ReturnType<T[K]>>, ...given: Parameters<T[K]>) => void;
};

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** `Theirs` is what the other process answers to, `Ours` what this one does. */
export class ProcessLink<Theirs extends Methods<Theirs>, Ours extends Methods<Ours>> {
  readonly #waiting = new Map<number, Waiting>();
  readonly #handlers = new Map<string, Handler>();
  readonly #lateHandlers: LateHandlers<Theirs> = {};
  #batch: Sent[] = [];
  #nextId = 0;
  #isClosed = false;
  #isSilent = false;
  #onSilence: (isSilent: boolean) => void = () => undefined;

  constructor(private readonly options: ProcessLinkOptions) {}

  /** Rejects with `Unanswered` where there is no answer in time. */
  async call<K extends keyof Theirs & string>(
    name: K,
    ...given: Parameters<Theirs[K]>
  ): Promise<Awaited<ReturnType<Theirs[K]>>> {
    if (this.#isClosed || this.#isSilent) throw new Unanswered();
    const id = this.#nextId++;
    const answer = new Promise<Awaited<ReturnType<Theirs[K]>>>((resolve, reject) => {
      // Both ends are of one program, so what arrives is what the method returns.
      this.#waiting.set(id, { resolve: (value) => resolve(value as Awaited<ReturnType<Theirs[K]>>), reject });
      this.#send(["call", name, given, id]);
    });
    try {
      return await withTimeLimit(answer, this.options.answerMs, () => new Unanswered());
    } catch (error) {
      if (error instanceof Unanswered) {
        this.#setSilent(true);
        answer.then(
          (late) => this.#lateHandlers[name]?.(late, ...given),
          () => undefined,
        );
      }
      throw error;
    }
  }

  /** For answers to calls that were rejected before, with what the call was given: to undo what it did. */
  onLate<K extends keyof Theirs & string>(name: K, handler: LateHandlers<Theirs>[K]): void {
    this.#lateHandlers[name] = handler;
  }

  /** Called with true when the other process does not answer, and with false when it does again. */
  onSilence(listener: (isSilent: boolean) => void): void {
    this.#onSilence = listener;
  }

  note<K extends keyof Theirs & string>(name: K, ...given: Parameters<Theirs[K]>): void {
    this.#send(["note", name, given]);
  }

  answer<K extends keyof Ours & string>(name: K, handler: Ours[K]): void {
    this.#handlers.set(name, handler);
  }

  /** To be called with every message of the channel. */
  receive(batch: unknown): void {
    this.#setSilent(false);
    for (const sent of batch as Sent[]) {
      const [type] = sent;
      if (type === "note") this.#handlers.get(sent[1])?.(...sent[2]);
      else if (type === "call") this.#answer(sent[1], sent[2], sent[3]);
      else this.#settle(sent);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#batch = [];
    for (const { reject } of this.#waiting.values()) reject(new Unanswered());
    this.#waiting.clear();
  }

  #setSilent(isSilent: boolean): void {
    if (this.#isSilent === isSilent) return;
    this.#isSilent = isSilent;
    this.#onSilence(isSilent);
  }

  #answer(name: string, given: never[], id: number): void {
    const fail = (error: unknown) =>
      this.#send(["failure", id, error instanceof Error ? error.constructor.name : "unknown error"]);
    try {
      const value = this.#handlers.get(name)?.(...given);
      // A promise only where there is one: most answers are known immediately.
      if (value instanceof Promise) value.then((later) => this.#send(["answer", id, later]), fail);
      else this.#send(["answer", id, value]);
    } catch (error) {
      fail(error);
    }
  }

  #settle(sent: Extract<Sent, ["answer" | "failure", ...unknown[]]>): void {
    const waiting = this.#waiting.get(sent[1]);
    this.#waiting.delete(sent[1]);
    if (sent[0] === "answer") waiting?.resolve(sent[2]);
    else waiting?.reject(new Error(`Another process failed: ${sent[2]}.`));
  }

  #send(sent: Sent): void {
    if (this.#isClosed) return;
    if (this.#batch.push(sent) > 1) return;
    setImmediate(() => {
      const batch = this.#batch;
      this.#batch = [];
      if (batch.length > 0) this.options.send(batch);
    });
  }
}

/** The other process has ended, or hangs. */
class Unanswered extends ServiceError {
  constructor() {
    super("overloaded", { message: "A process of this service does not answer. Try again shortly." });
  }
}
