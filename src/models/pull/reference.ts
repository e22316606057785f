/**
 * What people write to name weights: an entry of the catalogue, `hf:owner/repo`, `hf:owner/repo:Q4_K_M`,
 * `hf:owner/repo/file.gguf`, an https address, or else the name or path of a file on this machine.
 */
import { catalog } from "../choice/catalog.js";
import { WeightsError } from "../weights-error.js";

export type Reference =
  | { type: "hugging-face"; repository: string; quantisation: string | null; file: string | null }
  | { type: "address"; url: URL }
  | { type: "local"; name: string };

export function parseReference(text: string): Reference {
  const entry = catalog.find(({ id }) => id === text.toLowerCase());
  if (entry !== undefined) return parseReference(entry.uri);
  if (text.startsWith("hf:")) return parseHuggingFace(text);
  if (!/^https?:\/\//i.test(text)) return { type: "local", name: text };
  if (!URL.canParse(text)) throw new WeightsError(`'${text}' is not an address.`);
  return { type: "address", url: new URL(text) };
}

/** An address of a file ends in `.gguf`; any other is a server that answers. */
export const isFileAddress = (url: URL): boolean => url.pathname.toLowerCase().endsWith(".gguf");

function parseHuggingFace(text: string): Reference {
  const name = "[A-Za-z0-9][\\w.-]{0,95}";
  const match = new RegExp(`^hf:(${name}/${name})(?::([\\w.-]{1,40})|/([\\w./ -]{1,200}\\.gguf))?$`).exec(
    text,
  );
  const [, repository, quantisation = null, file = null] = match ?? [];
  if (repository === undefined || file?.split("/").includes("..") === true) {
    throw new WeightsError(
      `'${text}' is not a model on Hugging Face: write hf:owner/repo, hf:owner/repo:Q4_K_M or hf:owner/repo/file.gguf.`,
    );
  }
  return { type: "hugging-face", repository, quantisation, file };
}
