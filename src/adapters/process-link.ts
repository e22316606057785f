/**
 * One end of the channel between two processes of this program: calls, which are answered, and notes, which are not.
 * What is sent in one turn of the event loop travels as one message: under load, sending costs more than everything
 * else about a call. Order is kept.
 *
 * When the other process ends, calls that wait for an answer are rejected.
 */

/** A method is called or noted by its name. What it takes and returns must survive JSON. */
export type Methods<T> = { [K in keyof T]: (...given: never[]) => unknown };

export interface Channel {
  /** Never throws. */
  send(message: unknown): void;
}

type Sent =
  | ["note", name: string, given: never[]]
  | ["call", name: string, given: never[], id: number]
  | ["answer", id: number, value: unknown]
  | ["failure", id: number, message: string];

type Handler = (...given: never[]) => unknown;

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** `Theirs` is what the other process answers to, `Ours` what this one does. */
export class ProcessLink<Theirs extends Methods<Theirs>, Ours extends Methods<Ours>> {
  readonly #waiting = new Map<number, Waiting>();
  readonly #handlers = new Map<string, Handler>();
  #batch: Sent[] = [];
  #nextId = 0;
  #isClosed = false;

  constructor(private readonly channel: Channel) {}

  call<K extends keyof Theirs & string>(
    name: K,
    ...given: Parameters<Theirs[K]>
  ): Promise<Awaited<ReturnType<Theirs[K]>>> {
    if (this.#isClosed) return Promise.reject(new LinkClosed());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      // Both ends are of one program, so what arrives is what the method returns.
      this.#waiting.set(id, { resolve: (value) => resolve(value as Awaited<ReturnType<Theirs[K]>>), reject });
      this.#send(["call", name, given, id]);
    });
  }

  note<K extends keyof Theirs & string>(name: K, ...given: Parameters<Theirs[K]>): void {
    this.#send(["note", name, given]);
  }

  answer<K extends keyof Ours & string>(name: K, handler: Ours[K]): void {
    this.#handlers.set(name, handler);
  }

  /** To be called with every message of the channel. */
  receive(batch: unknown): void {
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
    for (const { reject } of this.#waiting.values()) reject(new LinkClosed());
    this.#waiting.clear();
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
      if (batch.length > 0) this.channel.send(batch);
    });
  }
}

/** The other process has ended. */
export class LinkClosed extends Error {
  constructor() {
    super("The other process has ended.");
    this.name = "LinkClosed";
  }
}
