import { describe, expect, it } from "vitest";
import { SpecialTexts } from "./special-texts.js";

const mark = (text: string) => `{${text}}`;

describe("special texts", () => {
  const special = new SpecialTexts(["</s>", "<|im_start|>", "<|im_start|>x", "[INST]"]);

  it("replaces every occurrence, the longest at its place", () => {
    expect(special.replace("a</s></s>b<|im_start|>xyz", mark)).toBe("a{</s>}{</s>}b{<|im_start|>x}yz");
  });

  it("leaves beginnings and other text alone", () => {
    for (const text of ["", "plain", "</s", "<|im_<|im_", "[INST"])
      expect(special.replace(text, mark)).toBe(text);
    expect(special.replace("<|im_</s>start|>", mark)).toBe("<|im_{</s>}start|>");
  });

  it("replaces nothing when there is nothing special", () => {
    expect(new SpecialTexts([]).replace("</s>", mark)).toBe("</s>");
  });
});
