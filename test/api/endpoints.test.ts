/** The table of endpoints, the routes, and what the service answers, held against one another. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiRoutes, ollamaRoutes } from "../../src/http/routes.js";
import { absence, endpointAt, endpoints, hasPath, type ApiName } from "../../src/protocol/endpoints.js";
import { ask, errorOf } from "../support/clients/chat.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const unserved = endpoints.filter(({ status }) => status !== "supported");

describe("the table of endpoints", () => {
  it("has every route as supported, and supports nothing else", () => {
    const named = (prefix: string, routes: readonly { method: string; url: string }[]) =>
      routes.map(({ method, url }) => `${method} ${prefix}${url.replace(/:(\w+)/g, "{$1}")}`);
    const routes = [...named("/v1", apiRoutes(server.parts)), ...named("/api", ollamaRoutes(server.parts))];
    const supported = endpoints.filter(({ status }) => status === "supported");
    const rows = new Set(supported.map(({ method, path }) => `${method} ${path}`));
    expect([...rows].sort()).toEqual([...new Set(routes)].sort());
  });

  it("says of each row why and what, as sentences", () => {
    for (const { text } of endpoints) expect(text).toMatch(/^[A-Z].*\.$/);
  });

  it("has no row twice", () => {
    const rows = endpoints.map(({ api, method, path }) => `${api} ${method} ${path}`);
    expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
  });

  const libraries: readonly [ApiName, string, string][] = [
    ["OpenAI", "openai/resources", "/v1"],
    ["Anthropic", "@anthropic-ai/sdk/resources", ""],
    ["Ollama", "ollama/dist", ""],
  ];

  it.each(libraries)("has every endpoint that the library of %s calls", (api, folder, prefix) => {
    const missing = new Set<string>();
    const called = calledIn(join("node_modules", folder));
    expect(called.length).toBeGreaterThan(9);
    for (const path of called) {
      if (!hasPath(api, prefix + path)) missing.add(path);
    }
    expect([...missing]).toEqual([]);
  });
});

describe("an endpoint that is not served", () => {
  /** One address of the row, below it where it has any. */
  const addressOf = ({ path, below }: (typeof endpoints)[number]) => {
    const id = path.includes("responses") ? "resp_1" : path.includes("chat") ? "chatcmpl-1" : "x";
    return `${path.replace(/\{\w+\}/, id)}${below === true ? "/secret" : ""}`;
  };

  it.each(unserved.filter(({ path, api }) => path.startsWith("/v1") && api !== "Ollama"))(
    "$method $path of $api says why, and what to do instead",
    async (row) => {
      const isAnthropic = row.api === "Anthropic";
      const { status, json } = await ask(server, {
        method: row.method === "any" ? "POST" : row.method,
        path: addressOf(row),
        body: "{",
        headers: isAnthropic ? { "anthropic-version": "2023-06-01" } : {},
      });
      expect(status).toBe(404);
      const { error } = json as { error: { message: string; type: string } };
      expect(error.type).toBe(isAnthropic ? "not_found_error" : "invalid_request_error");
      if (isAnthropic)
        expect(json).toMatchObject({ type: "error", request_id: expect.any(String) as string });
      else errorOf(json);
      expect(error.message).toContain(row.text);
      expect(error.message).not.toContain("secret");
    },
  );

  it("is the narrowest row of a path", () => {
    expect(endpointAt("POST", "/v1/responses/compact")?.status).toBe("supported");
    expect(endpointAt("GET", "/v1/responses/resp_1/input_items")?.path).toBe("/v1/responses/{id}");
    expect(endpointAt("GET", "/v1/models/omega")?.status).toBe("supported");
    expect(endpointAt("DELETE", "/v1/models/omega")?.status).toBe("refused");
    expect(endpointAt("GET", "/v1/nothing")).toBeUndefined();
    const [row] = unserved;
    expect(row === undefined ? "" : absence(row)).toMatch(/^This service does not offer \/v1\/\S+\. [A-Z]/);
  });
});

/** Paths in the code of a library, with an id wherever one is put in. */
function calledIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".mjs"),
  );
  const calls =
    /(?:_client\.(?:get|post|put|patch|delete|getAPIList)\(\s*(?:path)?\s*|\.config\.host\})[`'"]?(\/[^`'"?]*)|processStreamableRequest\("(\w+)"/g;
  return files
    .flatMap((name) => [...readFileSync(join(folder, name), "utf8").matchAll(calls)])
    .map(([, path, streamed]) => (path ?? `/api/${streamed ?? ""}`).replace(/\$\{[^}]*\}/g, "x"))
    .filter((path) => path !== "/api/x");
}
