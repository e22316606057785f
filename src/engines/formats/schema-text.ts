/** What is sent to the thread that compiles, and what its outcome is kept under: a schema as JSON, and how strict. */
import type { ReplyFormat } from "../../protocol/chat.js";

/** Before the JSON of an object, which begins with a brace. */
const mark = "strict ";

export const textToCompile = ({ schema, strict }: Extract<ReplyFormat, { type: "json_schema" }>): string =>
  (strict === true ? mark : "") + JSON.stringify(schema);

export function readSchemaText(text: string): { schema: unknown; strict: boolean } {
  const strict = text.startsWith(mark);
  return { schema: JSON.parse(strict ? text.slice(mark.length) : text), strict };
}
