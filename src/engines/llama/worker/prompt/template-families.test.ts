/**
 * The prompt formats of the common model families, as their authors document them; those of Llama 2 and 3, Gemma,
 * Phi 3, Mistral and ChatML were compared with what llama.cpp's own tests expect (tests/test-chat-template.cpp). The
 * templates here are short ones that lay a conversation out in each format, in the idioms of the Jinja that such
 * models come with: namespaces, slices, filters, macros, whitespace control, exceptions.
 */
import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../../core/chat/request.js";
import { ChatTemplate } from "./template.js";

const system: ChatMessage = { role: "system", content: "Be kind." };
const turns: ChatMessage[] = [
  { role: "user", content: "Hi" },
  { role: "assistant", content: "Hello" },
  { role: "user", content: "Bye" },
];

interface Family {
  name: string;
  template: string;
  texts?: ConstructorParameters<typeof ChatTemplate>[1];
  /** With a system message, then without one. */
  withSystem: string;
  without: string;
}

const sentencePiece = { bosText: "<s>", eosText: "</s>" };

const families: Family[] = [
  {
    name: "Llama 2",
    template: `{% if messages[0]['role'] == 'system' %}{% set rest = messages[1:] %}{% set system = messages[0]['content'] %}
{%- else %}{% set rest = messages %}{% set system = false %}{% endif %}
{%- for message in rest %}
{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('user and assistant in turns') }}{% endif %}
{%- if loop.index0 == 0 and system != false %}{% set content = '<<SYS>>\\n' + system + '\\n<</SYS>>\\n\\n' + message['content'] %}
{%- else %}{% set content = message['content'] %}{% endif %}
{%- if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}
{%- else %}{{ ' ' + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}`,
    withSystem: "<s>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\nHi [/INST] Hello </s><s>[INST] Bye [/INST]",
    without: "<s>[INST] Hi [/INST] Hello </s><s>[INST] Bye [/INST]",
  },
  {
    name: "Llama 3",
    texts: { bosText: "<|begin_of_text|>", eosText: "<|eot_id|>" },
    template: `{% set loop_messages = messages %}{% for message in loop_messages %}
{%- set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' %}
{%- if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}`,
    withSystem:
      "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe kind.<|eot_id|>" +
      "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>" +
      "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    without:
      "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>" +
      "<|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>" +
      "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
  },
  {
    name: "Llama 3.1, which always has a system turn with dates",
    texts: { bosText: "<|begin_of_text|>", eosText: "<|eot_id|>" },
    template: `{{- bos_token }}
{%- if not date_string is defined %}{%- set date_string = "26 Jul 2024" %}{%- endif %}
{%- if messages[0]['role'] == 'system' %}{%- set system_message = messages[0]['content']|trim %}{%- set messages = messages[1:] %}
{%- else %}{%- set system_message = "" %}{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if tools is not none %}{{- "Environment: ipython\\n" }}{%- endif %}
{{- "Cutting Knowledge Date: December 2023\\n" }}{{- "Today Date: " + date_string + "\\n\\n" }}{{- system_message }}{{- "<|eot_id|>" }}
{%- for message in messages %}
{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}`,
    withSystem:
      "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\nBe kind.<|eot_id|>" +
      "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>" +
      "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    without:
      "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n<|eot_id|>" +
      "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>" +
      "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
  },
  {
    name: "Qwen 2.5, which brings a system message of its own",
    texts: { bosText: "", eosText: "<|im_end|>" },
    template: `{%- if tools %}{{- raise_exception('no tools here') }}{%- endif %}
{%- if messages[0]['role'] == 'system' %}{{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
{%- else %}{{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\\n' }}{%- endif %}
{%- for message in messages %}
{%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`,
    withSystem:
      "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n" +
      "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n",
    without:
      "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n" +
      "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n",
  },
  {
    name: "Qwen 3, which leaves out what was thought before",
    texts: { bosText: "", eosText: "<|im_end|>" },
    template: `{%- if messages[0].role == 'system' %}{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}{%- endif %}
{%- set ns = namespace(last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}{%- set index = (messages|length - 1) - loop.index0 %}
{%- if message.role == "user" and message.content is string and ns.last_query_index < index %}{%- set ns.last_query_index = index %}{%- endif %}
{%- endfor %}
{%- for message in messages %}
{%- set content = message.content if message.content is string else '' %}
{%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
{{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
{%- elif message.role == "assistant" %}
{%- if '</think>' in content %}{%- set content = content.split('</think>')[-1].lstrip('\\n') %}{%- endif %}
{{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}`,
    withSystem:
      "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n" +
      "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n",
    without:
      "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n",
  },
  {
    name: "Gemma, which knows no system role",
    texts: { bosText: "<bos>", eosText: "<eos>" },
    template: `{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- for message in messages %}
{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('user and assistant in turns') }}{% endif %}
{%- if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}
{{- '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{'<start_of_turn>model\\n'}}{% endif %}`,
    withSystem:
      "<bos><start_of_turn>user\nBe kind.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n" +
      "<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>model\n",
    without:
      "<bos><start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n" +
      "<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>model\n",
  },
  {
    name: "Phi 3",
    texts: { bosText: "<s>", eosText: "<|endoftext|>" },
    template: `{% for message in messages %}{% if message['role'] == 'system' and message['content'] %}{{'<|system|>\\n' + message['content'] + '<|end|>\\n'}}
{%- elif message['role'] == 'user' %}{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}
{%- elif message['role'] == 'assistant' %}{{'<|assistant|>\\n' + message['content'] + '<|end|>\\n'}}{% endif %}{% endfor %}
{%- if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}`,
    withSystem:
      "<|system|>\nBe kind.<|end|>\n<|user|>\nHi<|end|>\n<|assistant|>\nHello<|end|>\n<|user|>\nBye<|end|>\n<|assistant|>\n",
    without: "<|user|>\nHi<|end|>\n<|assistant|>\nHello<|end|>\n<|user|>\nBye<|end|>\n<|assistant|>\n",
  },
  {
    name: "Phi 4",
    texts: { bosText: "", eosText: "<|im_end|>" },
    template: `{% for message in messages %}{% if message['role'] in ['system', 'user', 'assistant'] %}{{ '<|im_start|>' + message['role'] + '<|im_sep|>' + message['content'] + '<|im_end|>' }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant<|im_sep|>' }}{% endif %}`,
    withSystem:
      "<|im_start|>system<|im_sep|>Be kind.<|im_end|><|im_start|>user<|im_sep|>Hi<|im_end|>" +
      "<|im_start|>assistant<|im_sep|>Hello<|im_end|><|im_start|>user<|im_sep|>Bye<|im_end|><|im_start|>assistant<|im_sep|>",
    without:
      "<|im_start|>user<|im_sep|>Hi<|im_end|><|im_start|>assistant<|im_sep|>Hello<|im_end|>" +
      "<|im_start|>user<|im_sep|>Bye<|im_end|><|im_start|>assistant<|im_sep|>",
  },
  {
    name: "Mistral 7B Instruct, which knows no system role",
    texts: sentencePiece,
    template: `{{ bos_token }}{% for message in messages %}
{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('user and assistant in turns') }}{% endif %}
{%- if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}
{%- elif message['role'] == 'assistant' %}{{ message['content'] + eos_token }}
{%- else %}{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}{% endfor %}`,
    withSystem: "<s>[INST] Be kind.\n\nHi [/INST]Hello</s>[INST] Bye [/INST]",
    without: "<s>[INST] Hi [/INST]Hello</s>[INST] Bye [/INST]",
  },
  {
    name: "Mistral since v0.3, which puts the system message before the last question",
    texts: sentencePiece,
    template: `{%- if messages[0]["role"] == "system" %}{%- set system_message = messages[0]["content"] %}{%- set loop_messages = messages[1:] %}
{%- else %}{%- set loop_messages = messages %}{%- endif %}
{%- set ns = namespace() %}{%- set ns.index = 0 %}
{%- for message in loop_messages %}
{%- if (message["role"] == "user") != (ns.index % 2 == 0) %}{{- raise_exception("user and assistant in turns") }}{%- endif %}
{%- set ns.index = ns.index + 1 %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
{%- if message["role"] == "user" %}
{%- if loop.last and system_message is defined %}{{- "[INST] " + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
{%- else %}{{- "[INST] " + message["content"] + "[/INST]" }}{%- endif %}
{%- elif message["role"] == "assistant" %}{{- " " + message["content"]|trim + eos_token }}
{%- endif %}{%- endfor %}`,
    withSystem: "<s>[INST] Hi[/INST] Hello</s>[INST] Be kind.\n\nBye[/INST]",
    without: "<s>[INST] Hi[/INST] Hello</s>[INST] Bye[/INST]",
  },
  {
    name: "ChatML",
    texts: { bosText: "<s>", eosText: "<|im_end|>" },
    template: `{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`,
    withSystem:
      "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n" +
      "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n",
    without:
      "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n",
  },
  {
    name: "Zephyr, as TinyLlama Chat has it",
    texts: sentencePiece,
    template: `{% for message in messages %}
{% if message['role'] == 'user' %}
{{ '<|user|>\\n' + message['content'] + eos_token }}
{% elif message['role'] == 'system' %}
{{ '<|system|>\\n' + message['content'] + eos_token }}
{% elif message['role'] == 'assistant' %}
{{ '<|assistant|>\\n'  + message['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}`,
    withSystem:
      "<|system|>\nBe kind.</s>\n<|user|>\nHi</s>\n<|assistant|>\nHello</s>\n<|user|>\nBye</s>\n<|assistant|>\n",
    without: "<|user|>\nHi</s>\n<|assistant|>\nHello</s>\n<|user|>\nBye</s>\n<|assistant|>\n",
  },
];

describe.each(families)("the format of $name", ({ template, texts = sentencePiece, withSystem, without }) => {
  const render = (messages: readonly ChatMessage[]) =>
    new ChatTemplate(template, texts).render({ messages, tools: [], reasoningEffort: undefined });

  it("is kept with a system message", () => {
    expect(render([system, ...turns])).toBe(withSystem);
  });

  it("is kept without one", () => {
    expect(render(turns)).toBe(without);
  });

  it("takes a question after a question", () => {
    const rendered = render([...turns, { role: "user", content: "Really" }]);
    expect(rendered).toContain("Bye");
    expect(rendered).toContain("Really");
  });
});

describe("Qwen 3", () => {
  it("leaves out what was thought before", () => {
    const { template = "" } = families.find(({ name }) => name.startsWith("Qwen 3")) ?? {};
    const thoughtful = turns.map(({ role, content }) => ({
      role,
      content: role === "assistant" ? `<think>\nhm\n</think>\n\n${content}` : content,
    }));
    const rendered = new ChatTemplate(template, sentencePiece).render({
      messages: thoughtful,
      tools: [],
      reasoningEffort: undefined,
    });
    expect(rendered).toContain("assistant\nHello");
    expect(rendered).not.toContain("hm");
  });
});
