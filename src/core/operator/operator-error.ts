/** Something that an operator asked for cannot be done. The message is for them: what, why, and what to do. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "OperatorError";
  }
}
