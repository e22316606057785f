/** The store cannot be opened. The message is for the operator and says what to do. */
export class StoreError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StoreError";
  }
}
