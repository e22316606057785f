import type { ReplyFormat } from "../../protocol/chat.js";
import { ServiceError } from "../../protocol/errors.js";

/** The grammar, in GBNF, that a reply of this format must follow; undefined: any text. */
export function grammarOf(format: ReplyFormat): string | undefined {
  if (format.type === "text") return undefined;
  throw new ServiceError("unsupported_parameter", {
    message: "Unsupported parameter: 'response_format'. This model's engine does not support it.",
    param: "response_format",
  });
}
