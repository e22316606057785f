import { describe, expect, it } from "vitest";
import { families, type FamilyName } from "./families.js";
import { replyParser } from "./parser-of.js";
import { tools, transcripts } from "../../../test/support/inputs/reply-transcripts.js";
import { callsText } from "./write-calls.js";

const calls = [
  { name: "get_weather", arguments: { city: 'Paris "5"\nFrance', days: 3 } },
  { name: "save-note", arguments: { text: "", tags: ["a", "}"] } },
];
const names = (Object.keys(families) as FamilyName[]).filter((name) => name !== "gptOss");

describe("earlier calls", () => {
  it.each(names)("are written so that they read back, as %s", (family) => {
    const syntax = families[family];
    const parser = replyParser(syntax, { tools, callsExpected: true, reasoningOpen: false });
    const found: { name: string; text: string }[] = [];
    for (const event of [...parser.push(callsText(syntax, calls)), ...parser.flush()]) {
      const last = found.at(-1);
      if (event.type === "call") found.push({ name: event.name, text: "" });
      else if (event.type === "arguments" && last !== undefined) last.text += event.text;
      else expect(event).toBeUndefined();
    }
    const read = found.map(({ name, text }) => ({ name, arguments: JSON.parse(text) as unknown }));
    expect(read).toEqual(calls);
  });

  it("look as the family writes them", () => {
    const paris = [{ name: "get_weather", arguments: { city: "Paris", days: 3 } }];
    const coder = transcripts.qwen3Coder[0]?.raw.replace("I look.\n\n", "");
    expect(callsText(families.qwen3Coder, paris)).toBe(coder);
    expect(callsText(families.glm45, paris)).toBe(
      "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
    );
    expect(callsText(families.hermes, paris)).toBe(
      '<tool_call>\n{"name": "get_weather", "arguments": {"city":"Paris","days":3}}\n</tool_call>',
    );
  });
});
