import { expect, it } from "vitest";
import { packageFile } from "../../adapters/program-files.js";
import { openApi } from "./openapi.js";

it("parses the description once, however many ask for it at the same time", async () => {
  const describe = openApi(packageFile("docs/openapi.yaml"));
  const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => describe()));
  expect(first).toBeTypeOf("object");
  for (const other of others) expect(other).toBe(first);
});
