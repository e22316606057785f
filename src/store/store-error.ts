/** The store cannot be opened. The message is for the operator: what is wrong and, in `next`, what to do about it. */
export class StoreError extends Error {
  constructor(
    readonly reason: string,
    readonly next?: string,
  ) {
    super(next === undefined ? reason : `${reason}. ${next}`);
    this.name = "StoreError";
  }
}
