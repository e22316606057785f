/**
 * A small MCP server on standard input and output with one tool, for clients that offer such tools to a model. Of the
 * protocol it speaks what a client needs to find the tool and to call it. Run it with tsx.
 */
import { createInterface } from "node:readline";
import { z } from "zod";

const request = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z
    .object({
      protocolVersion: z.string().optional(),
      arguments: z.object({ shelf: z.string() }).optional(),
    })
    .optional(),
});

const tool = {
  name: "count_books",
  description: "Counts the books on a shelf.",
  inputSchema: {
    type: "object",
    properties: { shelf: { type: "string" } },
    required: ["shelf"],
    additionalProperties: false,
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = request.parse(JSON.parse(line));
  // Notifications are not answered.
  if (id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answerTo(method, params) })}\n`);
}

function answerTo(method: string, params: z.infer<typeof request>["params"]): object {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: params?.protocolVersion ?? "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "library", version: "1.0.0" },
        },
      };
    case "tools/list":
      return { result: { tools: [tool] } };
    case "tools/call":
      return {
        result: {
          content: [{ type: "text", text: `There are 42 books on the shelf ${params?.arguments?.shelf}.` }],
        },
      };
    default:
      return { error: { code: -32601, message: "There is no such method." } };
  }
}
