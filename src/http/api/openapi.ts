/** `GET /openapi.json`, and that of the operator's API: the documents that people read in docs/. */
import { readFile } from "node:fs/promises";

export function openApi(file: URL) {
  let document: Promise<unknown> | undefined;
  // Read when first asked for: parsing it would be a good part of the time to start. Once, however many ask at
  // the same time: each parse blocks the event loop. A read that failed is tried again.
  return (): Promise<unknown> => {
    document ??= readDocument(file).catch((error: unknown) => {
      document = undefined;
      throw error;
    });
    return document;
  };
}

async function readDocument(file: URL): Promise<unknown> {
  const { default: yaml } = await import("yaml");
  return yaml.parse(await readFile(file, "utf8"));
}
