import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { storedTables } from "../src/core/privacy-facts.js";
import { mails } from "../src/core/privacy-promises.js";
import { bestFor } from "../src/models/choice/best-model.js";
import { catalog } from "../src/models/choice/catalog.js";
import { starterSize } from "../src/models/starter/starter-size.js";
import {
  commandLinePage,
  configurationPage,
  errorsPage,
  metricsPage,
  modelsPage,
  privacyPage,
} from "../scripts/reference-pages.js";
import { endpointsPage } from "../scripts/endpoints-page.js";
import { schemasPage } from "../scripts/schemas-page.js";

describe("documentation", () => {
  it("docs/command-line.md says what the commands say (npm run docs)", async () => {
    expect(readFileSync("docs/command-line.md", "utf8")).toBe(await commandLinePage());
  });

  it("docs/configuration.md says what src/config.ts says (npm run docs)", async () => {
    expect(readFileSync("docs/configuration.md", "utf8")).toBe(await configurationPage());
  });

  it("docs/endpoints.md says what src/protocol/endpoints.ts says (npm run docs)", async () => {
    expect(readFileSync("docs/endpoints.md", "utf8")).toBe(await endpointsPage());
  });

  it("docs/errors.md says what src/core/errors.ts says (npm run docs)", async () => {
    expect(readFileSync("docs/errors.md", "utf8")).toBe(await errorsPage());
  });

  it("docs/metrics.md says what src/metrics.ts says (npm run docs)", async () => {
    const page = readFileSync("docs/metrics.md", "utf8");
    expect(page).toBe(await metricsPage());
    expect(page).toContain("| `sotto_requests_total` ");
  });

  it("docs/schemas.md says what src/engines/structured-output/json-schema/keywords.ts says (npm run docs)", async () => {
    const page = readFileSync("docs/schemas.md", "utf8");
    expect(page).toBe(await schemasPage());
    expect(page).toContain("| `uniqueItems` ");
  });

  it("docs/models.md has the catalogue of src/models/choice/catalog.ts (npm run docs)", async () => {
    const page = readFileSync("docs/models.md", "utf8");
    expect(page).toBe(await modelsPage());
    for (const { id } of catalog) expect(page).toContain(`| \`${id}\` `);
  });

  it("docs/privacy.md has what src/core/privacy-facts.ts, privacy-promises.ts and admin-visible.ts say (npm run docs)", async () => {
    const page = readFileSync("docs/privacy.md", "utf8");
    expect(page).toBe(await privacyPage());
    for (const table of Object.keys(storedTables)) expect(page).toContain(`| \`${table}\` `);
    for (const text of Object.values(mails)) expect(page).toContain(`- ${text}`);
  });

  it("the starter weights have one size, whoever speaks of it", () => {
    const files = [
      "README.md",
      "docs/configuration.md",
      "docs/operating.md",
      "deploy/README.md",
      "deploy/Dockerfile",
    ];
    const sizes = files.flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => /starter weights/.test(line) && !/memory|image/.test(line))
        .flatMap((line) => line.match(/\d[\d.]* [MG]B/g) ?? []),
    );
    expect(sizes.length).toBeGreaterThanOrEqual(3);
    expect(new Set(sizes)).toEqual(new Set([starterSize]));
  });

  it.each([4, 8, 16, 32])("docs/models.md names what a machine with %i GiB is told to use", (gib) => {
    // A tenth is taken by the system already.
    const best = bestFor({
      memory: { totalBytes: 0.9 * gib * 2 ** 30, onDemand: false },
      configured: {},
      bytesPerSecond: null,
    });
    expect(readFileSync("docs/models.md", "utf8")).toMatch(
      new RegExp(`^\\| ${gib} GiB +\\| \`${best?.entry.id ?? "none"}\` +\\|$`, "m"),
    );
  });
});
