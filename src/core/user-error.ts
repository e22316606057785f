/** What a person asked for cannot be done. The message is for them: what is wrong, and what to do. */
export class UserError extends Error {
  override name = "UserError";
}
