/** The three APIs by which the playground's request can be sent, each with its code. */
import type { Sample } from "../../../../components/text/code-block.tsx";
import { samplesIn } from "../../../../components/text/language-samples.ts";
import type { ChatBody } from "../../../../service/chat-stream.ts";
import * as chat from "../request-code.ts";
import * as messages from "./messages-code.ts";
import { asMessages, asResponses, type OtherRequest } from "./other-requests.ts";
import * as responses from "./responses-code.ts";

interface CodeApi {
  id: string;
  label: string;
  request: (body: ChatBody) => OtherRequest;
  code: Pick<typeof chat, "curlCode" | "pythonCode" | "nodeCode">;
}

export const codeApis: readonly [CodeApi, ...CodeApi[]] = [
  {
    id: "chat",
    label: "Chat Completions",
    request: (body) => ({ fields: { ...body }, missing: [] }),
    code: chat,
  },
  { id: "responses", label: "Responses", request: asResponses, code: responses },
  { id: "messages", label: "Messages", request: asMessages, code: messages },
];

export function samplesOf({ request, code }: CodeApi, baseUrl: string, body: ChatBody): Sample[] {
  const { fields } = request(body);
  return samplesIn({
    curl: code.curlCode(baseUrl, fields),
    python: code.pythonCode(baseUrl, fields),
    node: code.nodeCode(baseUrl, fields),
  });
}
