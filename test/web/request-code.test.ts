import { execFileSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { curlCode, nodeCode, pythonCode } from "../../web/pages/app/playground/request-code.js";

const request = {
  model: "omega",
  messages: [
    { role: "system", content: "It's \"quoted\" and 'quoted'." },
    { role: "user", content: "Two\nlines, a \\ backslash, a $HOME, a `tick` and 你好 👩‍🚀" },
  ],
  temperature: 0.5,
  max_tokens: 64,
  stop: ["END", "\n\n"],
};
const withTools = {
  model: "omega",
  messages: [
    { role: "user", content: "How is it?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_a", type: "function", function: { name: "f", arguments: '{"a-b":1}' } }],
    },
    { role: "tool", tool_call_id: "call_a", content: "" },
  ],
  tools: [
    {
      type: "function",
      function: {
        name: "f",
        strict: true,
        parameters: {
          type: "object",
          properties: {
            "a-b": { anyOf: [{ type: "integer" }, { type: "null" }], default: null },
            ["__proto__"]: { enum: [[{}], []] },
          },
          additionalProperties: false,
        },
      },
    },
  ],
};
const baseUrl = "https://chat.example.org/v1";

describe("request code", () => {
  it("passes the request through a shell unchanged", () => {
    const lastArgument = 'curl() { for argument; do :; done; printf %s "$argument"; }';
    const sent = execFileSync("sh", ["-c", `${lastArgument}\n${curlCode(baseUrl, request)}`], {
      encoding: "utf8",
    });
    expect(JSON.parse(sent)).toEqual({ ...request, stream: true });
  });

  it("writes the request as JavaScript that means the same", () => {
    const literal = /create\((\{[\s\S]*?\n\})\);/.exec(nodeCode(baseUrl, request))?.[1] ?? "";
    expect(runInNewContext(`JSON.stringify((${literal}))`)).toBe(
      JSON.stringify({ ...request, stream: true }),
    );
  });

  it("writes the request as Python, with Python's names", () => {
    const code = pythonCode(baseUrl, request);
    expect(code).toContain('    model="omega",\n    messages=[\n        {"role": "system", "content": ');
    expect(code).toContain('    stop=["END", "\\n\\n"],\n    stream=True,\n)');
    expect(code).toContain(String.raw`"It's \"quoted\" and 'quoted'."`);
  });

  it("writes tools, calls and results as JavaScript that means the same", () => {
    const literal = /create\((\{[\s\S]*?\n\})\);/.exec(nodeCode(baseUrl, withTools))?.[1] ?? "";
    expect(runInNewContext(`JSON.stringify((${literal}))`)).toBe(
      JSON.stringify({ ...withTools, stream: true }),
    );
  });

  it("writes tools, calls and results as Python, with Python's names", () => {
    const code = pythonCode(baseUrl, withTools);
    const body = /create\(\n([\s\S]*?)\n\)\n/.exec(code)?.[1] ?? "";
    expect(body).toContain('"content": None');
    expect(body).toContain('"strict": True');
    expect(body).toContain('"additionalProperties": False');
    expect(body).not.toMatch(/\b(?:true|false)\b|: null/);
    expect(code).toContain("delta.tool_calls");
    expect(pythonCode(baseUrl, request)).not.toContain("tool_calls");
  });

  it("never holds a key", () => {
    for (const code of [
      curlCode(baseUrl, request),
      nodeCode(baseUrl, request),
      pythonCode(baseUrl, request),
    ]) {
      expect(code).toContain("SOTTO_API_KEY");
      expect(code).toContain(baseUrl);
    }
  });
});
