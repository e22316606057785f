/**
 * Checks an engine before conversations are sent to it, for what would break their privacy: that it keeps requests
 * in logs or files, shares its cache between accounts, or forwards them. It can only know what the engine reports; what
 * an engine does not report becomes a warning.
 *
 * `refuse` means: not to be used. An engine that certainly logs, stores or passes on requests is refused unless its
 * operator accepts that. In strict mode everything that is certain is a reason to refuse.
 */
import { AddressError } from "../../../adapters/address-policy.js";
import { checkAddress, type Resolve } from "./address.js";
import { Connection } from "../connection.js";
import { askHealth, askIntroduction, whyUnusable, type Introduction } from "./introduction.js";
import { requireIsolation, UpstreamRefused } from "../isolation.js";
import { timeoutsOf, type UpstreamSource } from "../options.js";
import { findingsFor, type Finding } from "./preflight-checks.js";
import { profiles } from "../profiles.js";

export interface PreflightFinding {
  /** `useless`: it cannot answer now; that may change by itself. */
  level: "warn" | "useless" | "refuse";
  text: string;
}

export interface PreflightOptions {
  strict?: boolean;
  resolve?: Resolve;
}

/** Never rejects: an engine that cannot be asked is a finding too. Takes a few seconds at most. */
export async function preflight(
  source: UpstreamSource,
  { strict = false, resolve }: PreflightOptions = {},
): Promise<PreflightFinding[]> {
  const profile = profiles[source.profile];
  const refusals = await setUpErrors(source, resolve);
  if (refusals.length > 0) return refusals.map((text) => ({ level: "refuse", text }));
  const timeouts = timeoutsOf(source);
  const connection = new Connection(source, 1, timeouts);
  try {
    const { host } = connection.url;
    const answer = await meet(connection, source, timeouts.healthMs);
    if (answer.type !== "engine") return [{ level: "useless", text: whyUnusable(host, answer) }];
    const { facts } = answer;
    const findings = await findingsFor({ source, profile, connection, facts, timeoutMs: timeouts.healthMs });
    return findings.map((finding) => judge(finding, source, strict));
  } finally {
    await connection.close();
  }
}

function judge(
  { text, certain, refuses, exposes }: Finding,
  { acceptLogging }: UpstreamSource,
  strict: boolean,
): PreflightFinding {
  if (exposes === true && acceptLogging !== true) {
    return {
      level: "refuse",
      text: `${text} Change that, or accept it (--accept-logging, or acceptLogging: true).`,
    };
  }
  return { level: refuses === true || (strict && certain) ? "refuse" : "warn", text };
}

async function meet(
  connection: Connection,
  { profile: kind, name }: UpstreamSource,
  timeoutMs: number,
): Promise<Introduction> {
  const profile = profiles[kind];
  const health = await askHealth(connection, profile, timeoutMs);
  if ("cause" in health) return health;
  return askIntroduction(connection, profile, name, timeoutMs);
}

async function setUpErrors(source: UpstreamSource, resolve: Resolve | undefined): Promise<string[]> {
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
