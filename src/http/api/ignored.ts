/** What of a request was left out so that it could be answered, named in a header. Names come from closed sets only. */
import type { FastifyReply } from "fastify";

const header = "sotto-ignored";

export function noteIgnored(reply: FastifyReply, names: readonly string[]): void {
  const before = reply.getHeader(header);
  const all = [...(typeof before === "string" ? before.split(", ") : []), ...names];
  reply.header(header, [...new Set(all)].join(", "));
}
