/**
 * Checks an engine before conversations are sent to it, for what would break their privacy: that it keeps requests
 * in logs or files, shares its cache between accounts, or forwards them. It only knows what the engine reports; what
 * the engine does not report becomes a warning.
 *
 * `refuse` means: not to be used. An engine that certainly logs, stores or passes on requests is refused unless its
 * operator accepts that. In strict mode everything that is certain is a reason to refuse.
 */
import { AddressError } from "../../../adapters/address-policy.js";
import { checkAddress } from "./address.js";
import { checkHealth, identifyEngine, whyUnusable } from "./identify.js";
import { type Finding, findingsFor } from "./preflight-checks.js";
import { Connection } from "../connection.js";
import { whyNotIsolated } from "../profiles.js";
import type { UpstreamSource } from "../../../protocol/engine-member.js";

export interface PreflightFinding {
  /** `useless`: it cannot answer now; that may change by itself. */
  level: "warn" | "useless" | "refuse";
  text: string;
}

/** Never rejects: an unreachable engine is a finding too. Takes a few seconds at most. */
export async function preflight(
  source: UpstreamSource,
  { strict = false }: { strict?: boolean } = {},
): Promise<PreflightFinding[]> {
  const refusals = await configurationErrors(source);
  if (refusals.length > 0) return refusals.map((text) => ({ level: "refuse", text }));
  const connection = new Connection(source, 1);
  try {
    const health = await checkHealth(connection);
    const identity = "cause" in health ? health : await identifyEngine(connection);
    if (identity.type !== "engine")
      return [{ level: "useless", text: whyUnusable(connection.url.host, identity) }];
    const findings = await findingsFor({ connection, facts: identity.facts });
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

async function configurationErrors(source: UpstreamSource): Promise<string[]> {
  const errors = [whyNotIsolated(source)].filter((error) => error !== null);
  try {
    await checkAddress(source.url, { allowPublic: source.allowPublic });
    return errors;
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return [...errors, error.message];
  }
}
