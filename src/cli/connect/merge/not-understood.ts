/** What an editor or a parser throws: why, and where. Never a line of the file, which may hold secrets. */
export class NotUnderstood extends Error {}
