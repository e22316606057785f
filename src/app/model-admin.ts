/** What an admin changes about models while the server runs: what answers for each, and downloads. */
import { join, resolve } from "node:path";
import { ModelAdmin } from "../core/admin/model-admin.js";
import { ServedModels } from "../models/choice/model-sources.js";
import { allowedHosts } from "../models/pull/allowed-hosts.js";
import { PullJobs } from "../models/pull/pull-jobs.js";
import type { Engines } from "./engines.js";
import type { Context } from "./overrides.js";
import type { Serving } from "./serving.js";
import type { Storage } from "./storage.js";

export function createModelAdmin(
  { config, clock, log, closers }: Context,
  { store }: Storage,
  engines: Engines,
  { dashboard, names }: Serving,
): ModelAdmin {
  const folder = join(resolve(config.service.dataDir), "models");
  const hosts = allowedHosts(config.downloads);
  const { hfEndpoint: endpoint, hfToken: token } = config.downloads;
  const pulls = closers.add(
    new PullJobs({
      folder,
      download: { endpoint, token, allowedHosts: hosts },
      clock,
      reportError: (error) => log.unexpected(error),
    }),
  );
  const served = new ServedModels({
    store,
    folder,
    hosts,
    size: config.engine,
    configured: () => engines.configuredModels,
    status: (model) => engines.fleet.status(model),
    memoryBytes: (model) => engines.memoryBytes(model),
    compute: (model) => engines.compute(model),
    follow: () => engines.follow(),
    preflight: async (engine) => {
      const { preflight } = await import("../engines/upstream/checks/preflight.js");
      return preflight(engine, { strict: config.engine.strictPreflight });
    },
    availableBytes: () => process.availableMemory(),
  });
  return new ModelAdmin(served, pulls, dashboard.audit, names);
}
