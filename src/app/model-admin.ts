/** What an admin changes about models while the server runs: what answers for each, and downloads. */
import { join, resolve } from "node:path";
import { ModelAdmin } from "../core/admin/model-admin.js";
import { ServedModels } from "../models/choice/model-sources.js";
import { allowedHosts } from "../models/pull/download-request.js";
import { PullJobs } from "../models/pull/pull-jobs.js";
import { changeDraft, type Serving as Described } from "../models/choice/change-draft.js";
import { readSpeed } from "../models/measured-speed.js";
import { weightsLabel } from "../models/shown-weights.js";
import type { Engines, Served } from "./engines.js";
import type { Context } from "./overrides.js";
import type { Serving } from "./serving.js";
import type { Storage } from "./storage.js";

export function createModelAdmin(
  { config, overrides, clock, log, closers }: Context,
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
      use: (pulled) => admin.usePulled(pulled),
      refusal:
        overrides.ownProcess === undefined
          ? undefined
          : "This server has several processes and uses no weights: see SOTTO_PROCESSES.",
    }),
  );
  const served = new ServedModels({
    store,
    folder,
    hosts,
    machine: () => engines.machine(),
    sharers: () => engines.fleet.sharers(),
    configured: () => engines.configuredModels,
    status: (model) => engines.fleet.status(model),
    memoryBytes: (model) => engines.memoryBytes(model),
    compute: (model) => engines.compute(model),
    follow: () => engines.follow(),
    preflight: async (engine) => {
      const { preflight } = await import("../engines/upstream/checks/preflight.js");
      return preflight(engine, { strict: config.engine.strictPreflight });
    },
  });
  const admin: ModelAdmin = new ModelAdmin(served, pulls, dashboard.audit, names);
  engines.onSwitched = async (model, before) => {
    try {
      const [from, to] = await Promise.all(
        [before, engines.served(model)].map((served) => describe(store, served)),
      );
      if (from !== undefined && to !== undefined)
        await dashboard.drafts.write({ model, ...changeDraft(model, from, to) });
    } catch (error) {
      // Nothing but the draft is missing.
      log.unexpected(error);
    }
  };
  return admin;
}

/** Without the names of machines: users are to read it. */
async function describe(store: Storage["store"], { weights, contextTokens }: Served): Promise<Described> {
  if (weights === null) return { title: "an engine on the network", contextTokens, tokensPerSecond: null };
  const { title } = await weightsLabel(weights);
  const speed = await readSpeed(store, weights);
  return { title, contextTokens, tokensPerSecond: speed?.tokensPerSecond ?? null };
}
