/** The licences of everything that is shipped, in one text. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { idOf, type Lock, type Shipped } from "./shipped.js";

const fileNames = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

export function licensesText(shipped: readonly Shipped[], lock: Lock): string {
  const parts = shipped.map((one) => {
    const declared = lock[one.path]?.license ?? "not declared";
    return `${idOf(one)} (${one.how})\nLicence: ${declared}\n\n${bodyOf(one)}`;
  });
  const rule = `\n\n${"-".repeat(80)}\n\n`;
  return `What is part of this package or is installed with it, and under which licences. Sotto's own licence is in LICENSE.${rule}${parts.join(rule)}\n`;
}

/** What is installed for a platform is not on every machine that makes a release, and brings its own text. */
function bodyOf({ how, path }: Shipped): string {
  if (how === "installed") return "(Its text comes with its package.)";
  const texts = textsOf(path);
  return texts.length > 0 ? texts.join("\n\n") : "(Its package has no file with the text.)";
}

function textsOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && fileNames.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}
