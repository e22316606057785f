/**
 * Whether an engine was started without tools, learnt from how it refuses a request with one. Nothing is generated:
 * vLLM looks at this before it looks at the messages, of which there are none, and llama-server only renders.
 */
import type { Connection } from "../connection.js";
import { refusesTools } from "../failures.js";

const tools = [
  {
    type: "function",
    function: { name: "probe", description: "", parameters: { type: "object", properties: {} } },
  },
];

export async function toolsRefused(
  connection: Connection,
  path: string,
  model: string,
  timeoutMs: number,
): Promise<boolean> {
  const body = { model, messages: [], tools, tool_choice: "auto", max_tokens: 1 };
  const answer = await connection.ask(path, timeoutMs, undefined, body).catch(() => null);
  return answer !== null && refusesTools({ status: answer.status, body: answer.text });
}
