import { closeAll } from "../core/close-all.js";

/** What was opened, to be closed in reverse order. */
export class Closers {
  #closers: (() => void | Promise<void>)[] = [];

  /** Returns the part, so that one expression creates and adds it. */
  add<T extends { close(): void | Promise<void> }>(part: T): T {
    this.#closers.push(() => part.close());
    return part;
  }

  /** Once, however often it is called; see `closeAll` for errors. */
  close(): Promise<void> {
    return closeAll(this.#closers.splice(0));
  }
}
