/** The agent loop of the documentation, run as it stands. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { nodeLoop } from "../../web/pages/docs/tool-samples.js";
import { startServer } from "../support/processes/server.js";

it("calls the function, sends back its result and prints the reply", async () => {
  const server = await startServer();
  server.engine.script = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { fragments: ["Clear, 21 °C."] }
      : {
          fragments: [{ call: "get_weather", id: "call_a" }, { arguments: '{"city":"Paris"}' }],
          finishReason: "tool_calls",
        };
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", nodeLoop(server.baseURL)],
      { env: { ...process.env, SOTTO_API_KEY: server.apiKey } },
    );
    expect(stdout).toBe("Clear, 21 °C.\n");
    const [first, second] = server.engine.generations;
    expect(first?.tooling?.tools).toMatchObject([{ name: "get_weather", strict: true }]);
    expect(second?.messages.slice(1)).toMatchObject([
      { role: "assistant", toolCalls: [{ id: "call_a", name: "get_weather" }] },
      { role: "tool", toolCallId: "call_a", content: '{"city":"Paris","sky":"clear","celsius":21}' },
    ]);
  } finally {
    await server.close();
  }
});
