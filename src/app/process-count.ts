import { availableParallelism } from "node:os";
import type { Config } from "../config.js";
import { chatModelIds } from "../core/models.js";

const mostByItself = 8;

/** How many processes are to serve requests. */
export function processCount({ service, models }: Pick<Config, "service" | "models">): number {
  if (service.processes !== "auto") return service.processes;
  const isGateway = chatModelIds.every((model) => models[model].upstreams.length > 0);
  return isGateway ? Math.max(1, Math.min(mostByItself, Math.floor(availableParallelism() / 2))) : 1;
}

/** Of a setting for the whole server, what one of its processes gets: at least one. */
export const shareOf = (whole: number, ownProcess: { count: number } | undefined): number =>
  Math.ceil(whole / (ownProcess?.count ?? 1));
