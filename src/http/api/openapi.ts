/** `GET /openapi.json`, and that of the operator's API: the documents that people read in docs/. */
import { readFile } from "node:fs/promises";
import { packageFile } from "../../adapters/program-files.js";

export function openApi(path: "docs/openapi.yaml" | "docs/openapi-operator.yaml" = "docs/openapi.yaml") {
  let document: Promise<unknown> | undefined;
  // Read when first asked for: parsing it would be a good part of the time to start. Once, however many ask at
  // the same time: each parse blocks the event loop. A read that failed is tried again.
  return (): Promise<unknown> => {
    document ??= readDocument(packageFile(path)).catch((error: unknown) => {
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
