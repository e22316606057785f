/** `GET /openapi.json`: the document that people read in docs/openapi.yaml. */
import { readFile } from "node:fs/promises";
import { packageFile } from "../../adapters/program-files.js";

const file = packageFile("docs/openapi.yaml");

export function openApi() {
  let document: Promise<unknown> | undefined;
  // Read when first asked for: parsing it would be a good part of the time to start. Once, however many ask at
  // the same time: each parse blocks the event loop. A read that failed is tried again.
  return (): Promise<unknown> => {
    document ??= readDocument().catch((error: unknown) => {
      document = undefined;
      throw error;
    });
    return document;
  };
}

async function readDocument(): Promise<unknown> {
  const { default: yaml } = await import("yaml");
  return yaml.parse(await readFile(file, "utf8"));
}
