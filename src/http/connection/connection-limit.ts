/**
 * How many connections the server accepts. Every connection is an open file, and the reply to it may need
 * another: a connection to an engine on the network. When files run out, what fails is whatever comes next, also
 * the database and requests that were admitted; so connections are refused before that.
 *
 * Of the files that the process may open, a reserve is kept for everything else, then some for connections that
 * are only answered 503, then two for each connection. A number set by the operator, who knows which engines there
 * are, is used as it is, as long as there is one file for each.
 */

export const defaultConnectionLimit = { connections: 16_384, refusals: 1_024 };

/** Open when idle with an embedded engine: about 30. */
const baseReserve = 96;
/** Below this the operator gets a notice. */
const fewConnections = 1_000;

export interface ConnectionLimit {
  connections: number;
  /** How many more may be open briefly, to be answered 503. */
  refusals: number;
  /** What the operator should know: how many connections that is, and why. */
  notice: string | null;
}

export interface ConnectionLimitOptions {
  /** What the operator set. */
  wanted: number | undefined;
  /** Files that this process may have open. */
  openFiles: number;
  /** Files that other parts hold, besides the usual ones. */
  reserved: number;
  howToRaise: string;
}

export function connectionLimit(options: ConnectionLimitOptions): ConnectionLimit {
  const { wanted, openFiles, howToRaise } = options;
  const free = Math.max(2, openFiles - baseReserve - options.reserved);
  const refusals = Math.min(defaultConnectionLimit.refusals, Math.ceil(free / 8));
  const possible = Math.max(1, Math.floor(free - refusals));
  const connections = Math.min(
    wanted ?? Math.min(defaultConnectionLimit.connections, Math.ceil(possible / 2)),
    possible,
  );
  const isShort = wanted === undefined ? connections < fewConnections : connections < wanted;
  const notice = `This process may open ${openFiles} files at once, so Sotto accepts at most ${connections} connections; more are answered 503. ${howToRaise}`;
  return { connections, refusals, notice: isShort ? notice : null };
}
