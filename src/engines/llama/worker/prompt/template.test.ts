import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../../core/chat/request.js";
import { ChatTemplate } from "./template.js";
import { templates } from "../../../../../test/support/inputs/chat-templates.js";

const texts = { bosText: "<s>", eosText: "</s>" };
const conversation: ChatMessage[] = [
  { role: "system", content: "Be kind." },
  { role: "user", content: "Hi" },
  { role: "assistant", content: "Hello" },
  { role: "user", content: "Bye" },
];
const render = (source: string, messages: readonly ChatMessage[]) =>
  new ChatTemplate(source, texts).render({ messages, tools: [], reasoningEffort: undefined });

/** As Gemma and early Mistral models have it. */
const strict =
  "{{ bos_token }}{% for message in messages %}" +
  "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}" +
  "{% if message['role'] == 'user' %}[{{ message['content'] }}]{% else %}{{ message['content'] + eos_token }}{% endif %}" +
  "{% endfor %}";

describe("chat template", () => {
  it("renders the model's own", () => {
    const zephyr =
      "{% for message in messages %}{{ '<|' + message['role'] + '|>\n' + message['content'] + eos_token + '\n' }}{% endfor %}" +
      "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}";
    expect(render(zephyr, conversation.slice(0, 2))).toBe(
      "<|system|>\nBe kind.</s>\n<|user|>\nHi</s>\n<|assistant|>\n",
    );
  });

  it("puts system text before the user's where the template refuses it", () => {
    expect(render(strict, conversation)).toBe("<s>[Be kind.\n\nHi]Hello</s>[Bye]");
  });

  it("puts system text before the user's where the template drops it", () => {
    const dropping =
      "{% for message in messages %}{% if message['role'] == 'user' %}[{{ message['content'] }}]{% endif %}{% endfor %}";
    expect(render(dropping, conversation)).toBe("[Be kind.\n\nHi][Bye]");
  });

  it("joins neighbours of one role where the template wants them in turns", () => {
    const twice: ChatMessage[] = [...conversation, { role: "user", content: "Now" }];
    expect(render(strict, twice)).toBe("<s>[Be kind.\n\nHi]Hello</s>[Bye\n\nNow]");
  });

  it("makes a lone system message the user's", () => {
    expect(render(strict, [{ role: "system", content: "Say hi" }])).toBe("<s>[Say hi]");
  });

  it("says so when the template takes no such conversation", () => {
    expect(render(strict, [{ role: "assistant", content: "Hello" }])).toBeNull();
  });

  it("writes earlier calls as the model would where the template leaves them out", () => {
    const after: ChatMessage[] = [
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: "I look.",
        toolCalls: [{ id: "call_1", name: "get_weather", arguments: '{"city":"Paris"}' }],
      },
      { role: "tool", content: "Rain.", toolCallId: "call_1" },
    ];
    expect(render(templates.phi4Mini, after)).toBe(
      '<|user|>Weather?<|end|><|assistant|>I look.<|tool_call|>[{"name": "get_weather", "arguments": {"city":"Paris"}}]<|/tool_call|><|end|>' +
        "<|user|>Result of get_weather: Rain.<|end|><|assistant|>",
    );
  });

  it("gives templates what they ask about", () => {
    const source = "{% if tools is not none %}tools{% endif %}{{ strftime_now('%Y') }}";
    expect(render(source, conversation)).toBe(String(new Date().getFullYear()));
  });

  it("refuses to load what is not Jinja", () => {
    expect(() => new ChatTemplate("{% if %}", texts)).toThrow();
  });
});
