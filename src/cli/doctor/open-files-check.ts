/** What `sotto doctor` says about file descriptors: every connection is an open file. */
import { fewestOpenFiles, howToRaise, openFileLimit } from "../../adapters/open-files.js";
import type { Check } from "./finding.js";

/** Enough for a thousand connections, each with one to an engine on the network. */
const comfortableOpenFiles = 4_096;

export const checkOpenFiles: Check = async () => {
  const limit = openFileLimit();
  const name = "open files";
  if (!Number.isFinite(limit)) return [{ name, state: "ok", detail: "no limit" }];
  const detail = `this process may open ${limit}`;
  if (limit < fewestOpenFiles) return [{ name, state: "broken", detail, next: howToRaise }];
  if (limit < comfortableOpenFiles) return [{ name, state: "hint", detail, next: howToRaise }];
  return [{ name, state: "ok", detail }];
};
