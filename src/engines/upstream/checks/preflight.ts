/**
 * Checks an engine before conversations are sent to it, for what would break their privacy: that it keeps requests
 * in logs or files, shares its cache between accounts, or forwards them. It only knows what the engine reports; what
 * the engine does not report becomes a warning.
 *
 * `refuse` means: not to be used. An engine that certainly logs, stores or passes on requests is refused unless its
 * operator accepts that. In strict mode everything that is certain is a reason to refuse.
 */
import { AddressError } from "../../../adapters/address-policy.js";
import { checkAddress, type Resolve } from "./address.js";
import { checkHealth, identifyEngine, type Identity, whyUnusable } from "./identify.js";
import { type Finding, findingsFor } from "./preflight-checks.js";
import { Connection } from "../connection.js";
import { requireIsolation, UpstreamRefused } from "../isolation.js";
import { timeoutsOf } from "../options.js";
import { profiles } from "../profiles.js";
import type { UpstreamSource } from "../../../protocol/engine-member.js";

export interface PreflightFinding {
  /** `useless`: it cannot answer now; that may change by itself. */
  level: "warn" | "useless" | "refuse";
  text: string;
}

export interface PreflightOptions {
  strict?: boolean;
  resolve?: Resolve;
}

/** Never rejects: an unreachable engine is a finding too. Takes a few seconds at most. */
export async function preflight(
  source: UpstreamSource,
  { strict = false, resolve }: PreflightOptions = {},
): Promise<PreflightFinding[]> {
  const profile = profiles[source.profile];
  const refusals = await configurationErrors(source, resolve);
  if (refusals.length > 0) return refusals.map((text) => ({ level: "refuse", text }));
  const timeouts = timeoutsOf(source);
  const connection = new Connection(source, 1, timeouts);
  try {
    const { host } = connection.url;
    const { healthMs: timeoutMs } = timeouts;
    const identity = await identify(connection, source, timeoutMs);
    if (identity.type !== "engine") return [{ level: "useless", text: whyUnusable(host, identity) }];
    const { facts } = identity;
    const findings = await findingsFor({ source, profile, connection, facts, timeoutMs });
    return findings.map((finding) => judge(finding, source, strict));
  } finally {
    await connection.close();
  }
}

function judge(
  { text, severity }: Finding,
  { acceptLogging }: UpstreamSource,
  strict: boolean,
): PreflightFinding {
  if (severity === "exposes" && acceptLogging !== true) {
    return {
      level: "refuse",
      text: `${text} Change that, or accept it (--accept-logging, or acceptLogging: true).`,
    };
  }
  const isRefused = severity === "refuse" || (strict && severity !== "possible");
  return { level: isRefused ? "refuse" : "warn", text };
}

async function identify(
  connection: Connection,
  { profile: kind, name }: UpstreamSource,
  timeoutMs: number,
): Promise<Identity> {
  const profile = profiles[kind];
  const health = await checkHealth(connection, profile, timeoutMs);
  if ("cause" in health) return health;
  return identifyEngine(connection, profile, name, timeoutMs);
}

async function configurationErrors(source: UpstreamSource, resolve: Resolve | undefined): Promise<string[]> {
  const errors: string[] = [];
  try {
    requireIsolation(source);
  } catch (error) {
    if (!(error instanceof UpstreamRefused)) throw error;
    errors.push(error.message);
  }
  try {
    const { allowPublic } = source;
    await checkAddress(source.url, { allowPublic, ...(resolve === undefined ? {} : { resolve }) });
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    errors.push(error.message);
  }
  return errors;
}
