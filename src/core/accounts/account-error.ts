/**
 * A request about accounts or keys that cannot be carried out. The message is for the person who made it,
 * on a terminal or in the dashboard, and says what to do next.
 */
export class AccountError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AccountError";
  }
}
