/** Writes the reference pages that are generated from code. `npm run docs`; a test fails when they are stale. */
import { writeFileSync } from "node:fs";
import {
  commandLinePage,
  configurationPage,
  errorsPage,
  metricsPage,
  modelsPage,
  privacyPage,
} from "./reference-pages.js";
import { endpointsPage } from "./endpoints-page.js";
import { schemasPage } from "./schemas-page.js";

writeFileSync("docs/command-line.md", await commandLinePage());
writeFileSync("docs/configuration.md", await configurationPage());
writeFileSync("docs/endpoints.md", await endpointsPage());
writeFileSync("docs/errors.md", await errorsPage());
writeFileSync("docs/metrics.md", await metricsPage());
writeFileSync("docs/models.md", await modelsPage());
writeFileSync("docs/privacy.md", await privacyPage());
writeFileSync("docs/schemas.md", await schemasPage());
