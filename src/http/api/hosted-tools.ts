/**
 * What happens to tools that cannot be called here: a request with one is refused, unless its client sends one with
 * every request and its user could do nothing about it. Then they are skipped, and a header says so.
 */
import type { IncomingHttpHeaders } from "node:http";
import { clientFamilyOf } from "../../core/client-family.js";
import type { ParsedRequest } from "../../protocol/dialect.js";
import { hostedRefusal } from "../../protocol/hosted-tools.js";
import type { FastifyReply, FastifyRequest } from "fastify";
import { noteIgnored } from "./ignored.js";

export function skipHostedTools(
  { hosted = [] }: ParsedRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const [first] = hosted;
  if (first === undefined) return;
  if (!isCodingClient(request.raw.headers)) throw hostedRefusal(first);
  noteIgnored(
    reply,
    hosted.map(({ type }) => type),
  );
}

/** Codex and Claude Code: `codex_exec/0.166.0 (…)`, `claude-cli/2.1.197 (…)`. */
const isCodingClient = (headers: IncomingHttpHeaders): boolean =>
  ["codex", "claude-code"].includes(clientFamilyOf(headers["user-agent"])) ||
  /^codex[ _-]/i.test(String(headers.originator ?? ""));
