/** `GET /openapi.json`: the document that people read in docs/openapi.yaml. */
import { readFile } from "node:fs/promises";
import { parse } from "yaml";

/** The same number of folders below the package's root from src/ and from dist/. */
const file = new URL("../../docs/openapi.yaml", import.meta.url);

export function openApi() {
  let document: unknown;
  // Read when first asked for: parsing it would be a good part of the time to start.
  return async (): Promise<unknown> => {
    document ??= parse(await readFile(file, "utf8"));
    return document;
  };
}
