/** The licences of everything that is shipped, in one text. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { idOf, type Lock, type Shipped } from "./shipped.js";

const fileNames = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

export function licensesText(shipped: readonly Shipped[], lock: Lock): string {
  const parts = shipped.map((one) => {
    const declared = lock[one.path]?.license ?? "not declared";
    const texts = textsOf(one.path);
    const body = texts.length > 0 ? texts.join("\n\n") : "(Its package has no file with the text.)";
    return `${idOf(one)} (${one.how})\nLicence: ${declared}\n\n${body}`;
  });
  const rule = `\n\n${"-".repeat(80)}\n\n`;
  return `What is part of this package or is installed with it, and under which licences. Sotto's own licence is in LICENSE.${rule}${parts.join(rule)}\n`;
}

function textsOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && fileNames.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}
