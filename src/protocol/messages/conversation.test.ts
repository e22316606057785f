import { describe, expect, it } from "vitest";
import { refusalOf } from "../../../test/support/refusal.js";
import { readConversation } from "./conversation.js";

const text = (content: string) => ({ type: "text", text: content, cache_control: { type: "ephemeral" } });
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const use = (id: string, input: unknown = {}) => ({ type: "tool_use", id, name: "look", input });
const result = (id: string, more: object = {}) => ({ type: "tool_result", tool_use_id: id, ...more });

const read = (messages: unknown[], more: object = {}) => readConversation({ messages, ...more });

function refusal(messages: unknown): string {
  const { code, param } = refusalOf(() => readConversation({ messages }));
  return `${code} ${param ?? "-"}`;
}

describe("a conversation", () => {
  it("has its system text first, from a string or blocks", () => {
    const hello = { role: "user", content: "Hello" };
    const expected = [{ role: "system", content: "Be kind.\n\nBe brief." }, hello];
    expect(read([hello], { system: "Be kind.\n\nBe brief." })).toEqual(expected);
    expect(read([hello], { system: [text("Be kind."), text("Be brief.")] })).toEqual(expected);
    expect(read([{ role: "system", content: "Be brief." }, hello], { system: "Be kind." })).toEqual(expected);
    expect(read([hello], { system: "" })).toEqual([hello]);
    expect(read([hello], { system: [] })).toEqual([hello]);
  });

  it("leaves out the note that Claude Code sends to its own service", () => {
    const system = [text("x-anthropic-billing-header: cc_version=1; cch=12ab;"), text("Be kind.")];
    expect(read([user(text("Hi"))], { system })[0]).toEqual({ role: "system", content: "Be kind." });
  });

  it("has system text of later turns in the user's, marked", () => {
    const messages = read([user(text("Hi")), { role: "system", content: [text("It is noon.")] }]);
    expect(messages).toEqual([
      { role: "user", content: "Hi\n\n<system-reminder>\nIt is noon.\n</system-reminder>" },
    ]);
  });

  it("joins turns of the same role", () => {
    expect(
      read([
        user(text("One")),
        { role: "user", content: "two" },
        assistant({ type: "thinking", thinking: "Hm.", signature: "" }, text("Three")),
        assistant({ type: "thinking", thinking: "Oh.", signature: "" }, use("a"), text("four")),
        assistant(use("b")),
        user(result("a", { content: "A" })),
        user(result("b", { content: "B" }), text("five")),
        { role: "user", content: "six" },
      ]),
    ).toEqual([
      { role: "user", content: "One\n\ntwo" },
      {
        role: "assistant",
        content: "Three\n\nfour",
        toolCalls: [
          { id: "a", name: "look", arguments: "{}" },
          { id: "b", name: "look", arguments: "{}" },
        ],
        reasoning: "Hm.\n\nOh.",
      },
      { role: "tool", content: "A", toolCallId: "a" },
      { role: "tool", content: "B", toolCallId: "b" },
      { role: "user", content: "five\n\nsix" },
    ]);
  });

  it("has results before the text of their turn, and no empty text after them", () => {
    const before = [user(text("Hi")), assistant(use("a", { city: "Rome" }))];
    expect(
      read([...before, user(text("So?"), result("a", { content: [text("sunny"), text("warm")] }))]),
    ).toEqual([
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "a", name: "look", arguments: '{"city":"Rome"}' }],
      },
      { role: "tool", content: "sunny\n\nwarm", toolCallId: "a" },
      { role: "user", content: "So?" },
    ]);
    expect(read([...before, user(result("a"), text(""))]).at(-1)).toEqual({
      role: "tool",
      content: "",
      toolCallId: "a",
    });
  });

  it("has results right after their calls, also where turns are separate", () => {
    const calls = [use("a"), use("b")];
    const toolCalls = ["a", "b"].map((id) => ({ id, name: "look", arguments: "{}" }));
    const tool = (id: string) => ({ role: "tool", content: id.toUpperCase(), toolCallId: id });
    const came = (id: string) => result(id, { content: id.toUpperCase() });
    const expected = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "", toolCalls },
      tool("a"),
      tool("b"),
      { role: "user", content: "One\n\ntwo" },
    ];
    const before = [user(text("Hi")), assistant(...calls)];
    for (const turns of [
      [user(text("One")), user(came("a"), came("b")), user(text("two"))],
      [user(came("a")), user(text("One")), user(came("b"), text("two"))],
      [user(text("One"), came("a")), user(text("two")), user(came("b"))],
    ]) {
      expect(read([...before, ...turns])).toEqual(expected);
    }
    const reminder = { role: "user", content: "<system-reminder>\nNoon.\n</system-reminder>" };
    expect(read([...before, { role: "system", content: "Noon." }, user(came("a"), came("b"))])).toEqual([
      ...expected.slice(0, 4),
      reminder,
    ]);
    expect(
      read([...before, user(came("a"), text("One")), assistant(text("Yes.")), user(came("b"), text("two"))]),
    ).toEqual([
      ...expected.slice(0, 4),
      { role: "user", content: "One" },
      { role: "assistant", content: "Yes." },
      { role: "user", content: "two" },
    ]);
  });

  it("has a result after the latest call of its id", () => {
    const again = [assistant(use("a")), user(result("a", { content: "A" }))];
    const roles = ["user", "assistant", "tool", "assistant", "tool"];
    expect(read([user(text("Hi")), ...again, ...again]).map(({ role }) => role)).toEqual(roles);
  });

  it("tells the model of a tool that failed", () => {
    const said = (more: object) =>
      read([user(text("Hi")), assistant(use("a")), user(result("a", { is_error: true, ...more }))]).at(-1)
        ?.content;
    expect(said({ content: "no such file" })).toBe("Error: no such file");
    expect(said({ content: "Error: no such file" })).toBe("Error: no such file");
    expect(said({ content: "<tool_use_error>no</tool_use_error>" })).toBe(
      "<tool_use_error>no</tool_use_error>",
    );
    expect(said({})).toBe("Error");
    expect(said({ content: "fine", is_error: false })).toBe("fine");
  });

  it("reads documents of plain text and search results as text, and passes over what other services' tools did", () => {
    const source = { type: "text", media_type: "text/plain", data: "It rains." };
    const parts = { type: "content", content: [text("One."), text("Two.")] };
    expect(
      read([
        user(
          text("Read:"),
          { type: "document", title: "Report", source },
          { type: "document", source: parts },
        ),
        assistant(
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "rain" } },
          { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
          text("It does."),
        ),
        user({ type: "search_result", source: "x", title: "t", content: [text("Found.")] }),
      ]),
    ).toEqual([
      { role: "user", content: "Read:\n\nReport\n\nIt rains.\n\nOne.\n\nTwo." },
      { role: "assistant", content: "It does." },
      { role: "user", content: "Found." },
    ]);
  });

  it("takes thoughts that nobody can read, replies without content and calls without input", () => {
    expect(
      read([
        user(text("Hi")),
        assistant({ type: "redacted_thinking", data: "x" }, text("Yes.")),
        { role: "user", content: "" },
        assistant(),
        user(text("And?")),
      ]),
    ).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Yes." },
      { role: "user", content: "" },
      { role: "assistant", content: "" },
      { role: "user", content: "And?" },
    ]);
    const [, call] = read([user(text("Hi")), assistant({ type: "tool_use", id: "a", name: "look" })]);
    expect(call?.toolCalls).toEqual([{ id: "a", name: "look", arguments: "{}" }]);
  });

  const hi = user(text("Hi"));
  it.each([
    ["messages that are no array", "x", "invalid_type messages"],
    ["no messages", [], "empty_array messages"],
    ["only system text", [{ role: "system", content: "x" }], "invalid_value messages"],
    ["too many", Array(2049).fill(hi), "array_above_max_length messages"],
    [
      "too many results",
      [hi, assistant(use("a")), user(...Array<object>(4096).fill(result("a")))],
      "array_above_max_length messages",
    ],
    ["a message that is none", [1], "invalid_type messages[0]"],
    ["no role", [{ content: "x" }], "missing_required_parameter messages[0].role"],
    ["an unknown role", [hi, { role: "tool", content: "x" }], "invalid_value messages[1].role"],
    ["no content", [{ role: "user" }], "missing_required_parameter messages[0].content"],
    ["null content", [{ role: "assistant", content: null }], "invalid_type messages[0].content"],
    ["content that is a number", [{ role: "user", content: 1 }], "invalid_type messages[0].content"],
    ["no blocks", [user()], "empty_array messages[0].content"],
    ["a block that is none", [{ role: "user", content: ["x"] }], "invalid_type messages[0].content[0]"],
    ["a block without a type", [user({})], "missing_required_parameter messages[0].content[0].type"],
    [
      "an unknown block",
      [hi, assistant({ type: "something" })],
      "unsupported_value messages[1].content[0].type",
    ],
    [
      "a block without text",
      [user({ type: "text" })],
      "missing_required_parameter messages[0].content[0].text",
    ],
    [
      "an unknown block",
      [hi, user(text("Look:"), { type: "audio" })],
      "unsupported_value messages[1].content[1].type",
    ],
    [
      "a document that is no text",
      [user({ type: "document", source: { type: "base64", media_type: "application/pdf", data: "x" } })],
      "unsupported_value messages[0].content[0].source.type",
    ],
    ["a call by the user", [user(use("a"))], "unsupported_value messages[0].content[0].type"],
    [
      "a result by the assistant",
      [hi, assistant(result("a"))],
      "unsupported_value messages[1].content[0].type",
    ],
    [
      "system text with an image",
      [{ role: "system", content: [{ type: "image" }] }],
      "unsupported_value messages[0].content[0].type",
    ],
    [
      "a call without an id",
      [hi, assistant({ type: "tool_use", name: "a" })],
      "missing_required_parameter messages[1].content[0].id",
    ],
    [
      "a call with text for input",
      [hi, assistant(use("a", "x"))],
      "invalid_type messages[1].content[0].input",
    ],
    [
      "a result without an id",
      [user({ type: "tool_result" })],
      "missing_required_parameter messages[0].content[0].tool_use_id",
    ],
    ["a result of no call", [hi, user(result("a"))], "invalid_value messages[1].content[0].tool_use_id"],
    [
      "an unknown block as a result",
      [hi, assistant(use("a")), user(result("a", { content: [text("x"), { type: "audio" }] }))],
      "unsupported_value messages[2].content[0].content[1].type",
    ],
    [
      "a result with a number",
      [hi, assistant(use("a")), user(result("a", { content: 1 }))],
      "invalid_type messages[2].content[0].content",
    ],
    [
      "an error that is no boolean",
      [hi, assistant(use("a")), user(result("a", { is_error: "yes" }))],
      "invalid_type messages[2].content[0].is_error",
    ],
  ])("with %s is refused by its place", (_, messages, expected) => {
    expect(refusal(messages)).toBe(expected);
  });
});
