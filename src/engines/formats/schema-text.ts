/** What is sent to the thread that compiles, and what its outcome is kept under. */
import type { ReplyFormat } from "../../core/chat/request.js";
import type { CallsRequest } from "./calls-request.js";

/** Each before JSON, which begins with a brace. Without one it is a schema that is followed as far as it can be. */
const strictMark = "strict ";
const callsMark = "calls ";

export type ToCompile =
  { type: "schema"; schema: unknown; strict: boolean } | { type: "calls"; request: CallsRequest };

export const textOfSchema = ({ schema, strict }: Extract<ReplyFormat, { type: "json_schema" }>): string =>
  (strict === true ? strictMark : "") + JSON.stringify(schema);

export const textOfCalls = (request: CallsRequest): string => callsMark + JSON.stringify(request);

export function readText(text: string): ToCompile {
  if (text.startsWith(callsMark)) {
    return { type: "calls", request: JSON.parse(text.slice(callsMark.length)) as CallsRequest };
  }
  const strict = text.startsWith(strictMark);
  return { type: "schema", schema: JSON.parse(strict ? text.slice(strictMark.length) : text), strict };
}
