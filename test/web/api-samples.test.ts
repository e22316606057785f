/** The code in the API reference, run as it stands. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { bodiesOf } from "../../web/pages/docs/api/document-examples.js";
import { methods, type OpenApi } from "../../web/pages/docs/api/openapi.js";
import { requestSamples } from "../../web/pages/docs/api/request-samples.js";
import { runCurl, runNode } from "../support/clients/run-snippet.js";
import { withTasks } from "../support/engines/fake-engine.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const document = parse(readFileSync("docs/openapi.yaml", "utf8")) as OpenApi;
const requests = Object.entries(document.paths).flatMap(([path, operations]) =>
  methods.flatMap((method) => {
    const operation = operations[method];
    // This server has neither a token for metrics nor keys to prove anything with: see test/api/proof.
    if (operation === undefined || path === "/metrics" || path.startsWith("/.well-known/")) return [];
    const bodies = operation.requestBody === undefined ? [undefined] : bodiesOf(document, operation);
    return bodies.map((body) => ({
      name: `${method} ${path}: ${body?.name ?? "no body"}`,
      request: { method, path, operation, body: body?.value },
    }));
  }),
);

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ engine: { follows: { ...withTasks, infill: true } } });
});
afterAll(() => server.close());

const codeOf = (request: (typeof requests)[number]["request"], id: string, origin = server.url): string =>
  requestSamples({ ...request, origin }).find((sample) => sample.id === id)?.code ?? "";

describe("the code for every operation of the API reference", () => {
  it("is there for curl, Python and Node", () => {
    expect(requests.length).toBeGreaterThan(12);
    for (const { request } of requests) {
      expect(requestSamples({ ...request, origin: "" }).map(({ id }) => id)).toEqual([
        "curl",
        "python",
        "node",
      ]);
    }
  });

  it.each(requests)("answers with curl, $name", async ({ request }) => {
    const response = await runCurl(server, codeOf(request, "curl"));
    expect([response.status, (await response.text()).length > 0]).toEqual([200, true]);
  });

  it.each(requests)("prints something with Node, $name", async ({ request }) => {
    const printed = await runNode(server, codeOf(request, "node"));
    expect(printed.trim()).not.toBe("");
    expect(printed).not.toMatch(/^[45]\d\d /);
  });

  it("reads the key of the metrics from a variable of its own", () => {
    const operation = document.paths["/metrics"]?.get ?? {};
    const request = { method: "get", path: "/metrics", operation, body: undefined } as const;
    expect(codeOf(request, "curl", "https://x")).toContain('-H "Authorization: Bearer $SOTTO_METRICS_TOKEN"');
    expect(codeOf(request, "python", "https://x")).toContain(`f"Bearer {os.environ['SOTTO_METRICS_TOKEN']}"`);
  });
});
