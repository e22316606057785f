import { Template } from "@huggingface/jinja";
import { describe, expect, it } from "vitest";
import { detectSyntax, endsInReasoning, type TemplateAbilities } from "./detect.js";
import type { RenderTemplate } from "./detection/template-render.js";
import { families, think } from "./families.js";
import type { CallSyntax } from "./reply-syntax.js";
import { templates, type TemplateName } from "../../../test/support/inputs/chat-templates.js";

function renderOf(name: TemplateName): RenderTemplate {
  const template = new Template(templates[name]);
  return ({ messages, tools, addGenerationPrompt, variables }) => {
    try {
      return template.render({
        messages,
        tools,
        add_generation_prompt: addGenerationPrompt,
        bos_token: "<s>",
        eos_token: "</s>",
        ...variables,
      });
    } catch {
      return null;
    }
  };
}

const detect = (name: TemplateName): TemplateAbilities => detectSyntax(renderOf(name), templates[name]);
const callsOf = (name: TemplateName): CallSyntax | null => {
  const { syntax } = detect(name);
  return syntax.type === "marked" ? syntax.calls : null;
};
const reasoningOf = (name: TemplateName) => {
  const { syntax } = detect(name);
  return syntax.type === "harmony" ? null : syntax.reasoning;
};

describe("the format of a template", () => {
  it.each([
    ["qwen25", families.hermes.calls],
    ["qwen3", families.hermes.calls],
    ["qwen3Coder", families.qwen3Coder.calls],
    ["llama31", families.llama3.calls],
    ["mistralNemo", families.mistral.calls],
    ["mistralSmall32", families.mistralNamed.calls],
    ["magistral", families.magistral.calls],
    ["phi4MiniCalls", families.phi4Mini.calls],
    ["deepSeekR1", families.deepSeekR1.calls],
    ["glm45", families.glm45.calls],
    ["commandR7b", families.command.calls],
    ["seedOss", families.seedOss.calls],
    ["miniMaxM2", families.miniMaxM2.calls],
    ["nemotronNano2", families.nemotron.calls],
    ["apriel15", families.apriel.calls],
  ] as const)("is recognized by what it renders: %s", (name, calls) => {
    expect(callsOf(name)).toEqual(calls);
    const { knowsTools, callForm } = detect(name);
    expect(knowsTools).toBe(true);
    expect(callForm).not.toBeNull();
  });

  it("is recognized where it is channels", () => {
    const { syntax, knowsTools, takesEffort } = detect("gptOss");
    expect({ syntax, knowsTools, takesEffort }).toEqual({
      syntax: { type: "harmony" },
      knowsTools: true,
      takesEffort: true,
    });
  });

  it("is taken from the instructions where earlier calls are not shown", () => {
    expect(callsOf("granite33")).toEqual(families.granite3.calls);
    expect(detect("granite33").callForm).toBeNull();
  });

  it("is recognized where the tools are looked for in the system message", () => {
    expect(callsOf("phi4Mini")).toEqual(families.phi4Mini.calls);
    expect(detect("phi4Mini")).toMatchObject({ knowsTools: true, toolsIn: "system", callForm: null });
    expect(detect("qwen25")).toMatchObject({ toolsIn: "variable", needsCallLists: false });
  });

  it("is recognized where messages without calls need a list of them", () => {
    expect(detect("phi4MiniCalls")).toMatchObject({ toolsIn: "variable", needsCallLists: true });
  });

  it("is ours where the tools are not shown", () => {
    expect(detect("gemma3")).toMatchObject({
      syntax: { type: "generic", reasoning: null },
      knowsTools: false,
    });
    expect(detect("deepSeekR1Distill")).toMatchObject({
      syntax: { type: "generic", reasoning: think },
      knowsTools: false,
    });
    expect(detect("deepSeekV31")).toMatchObject({
      syntax: { type: "generic", reasoning: think },
      knowsTools: false,
    });
  });

  it("is ours where no family has it", () => {
    expect(detect("unknownCalls")).toMatchObject({ syntax: { type: "generic" }, knowsTools: false });
  });

  it("says how earlier calls are to be given", () => {
    expect(detect("qwen25").callForm).toEqual({ argumentsAs: "object", emptyContent: "" });
    expect(detect("deepSeekR1").callForm).toEqual({ argumentsAs: "text", emptyContent: null });
  });

  it("is ours where the template refuses everything", () => {
    expect(detectSyntax(() => null)).toMatchObject({
      syntax: { type: "generic", reasoning: null },
      knowsTools: false,
    });
  });
});

describe("reasoning of a template", () => {
  it.each([
    ["qwen25", null],
    ["qwen3", think],
    ["llama31", null],
    ["mistralSmall32", null],
    ["magistral", { open: "[THINK]", close: "[/THINK]" }],
    ["granite33", think],
    ["deepSeekR1", think],
    ["deepSeekV31", think],
    ["glm45", think],
    ["commandR7b", { open: "<|START_THINKING|>", close: "<|END_THINKING|>" }],
    ["seedOss", { open: "<seed:think>", close: "</seed:think>" }],
    ["gemma3", null],
  ] as const)("are marked as it says: %s", (name, reasoning) => {
    expect(reasoningOf(name)).toEqual(reasoning);
  });

  it.each([
    ["qwen3", "enable_thinking"],
    ["glm45", "enable_thinking"],
    ["deepSeekV31", "thinking"],
  ] as const)("can be switched: %s", (name, expected) => {
    expect(detect(name).thinkingSwitch).toBe(expected);
  });

  it("cannot be switched where no variable does it", () => {
    expect(detect("deepSeekR1").thinkingSwitch).toBeNull();
    expect(detect("qwen25").thinkingSwitch).toBeNull();
  });

  it("are open where the prompt ends with their marker", () => {
    const { syntax } = detect("deepSeekR1");
    expect(endsInReasoning("<｜Assistant｜><think>\n", syntax)).toBe(true);
    expect(endsInReasoning("<｜Assistant｜><think>\n\n</think>\n", syntax)).toBe(false);
    expect(endsInReasoning("<|start|>assistant", { type: "harmony" })).toBe(false);
  });

  it("leave markers around the reply out of it", () => {
    const { syntax } = detect("commandR7b");
    expect(syntax).toMatchObject({ dropped: ["<|START_RESPONSE|>", "<|END_RESPONSE|>"] });
  });
});
