/**
 * Looks an engine over before conversations are sent to it, for what would break their privacy: that it keeps
 * requests in logs or files, shares what it cached between accounts, or talks to someone else. It can only know
 * what the engine tells; what an engine keeps to itself is said as a possibility.
 *
 * `refuse` means: not to be used. In strict mode everything that is certain is a reason to refuse.
 */
import { AddressFault, checkAddress, type Resolve } from "./address.js";
import { Connection } from "./connection.js";
import { askFacts } from "./facts.js";
import { requireIsolation, UpstreamRefused } from "./isolation.js";
import { timeoutsOf, type UpstreamSource } from "./options.js";
import { findingsFor } from "./preflight-checks.js";
import { profiles } from "./profiles.js";

export interface PreflightFinding {
  level: "warn" | "refuse";
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
  const refusals = await setUpFaults(source, resolve);
  if (refusals.length > 0) return refusals.map((text) => ({ level: "refuse", text }));
  const timeouts = timeoutsOf(source);
  const connection = new Connection(source, 1, timeouts);
  try {
    const alive = await connection.ask(profile.healthPath, timeouts.healthMs).catch(() => null);
    if (alive === null) return [{ level: "warn", text: `${connection.url.host} does not answer.` }];
    if (alive.status === 401 || alive.status === 403) {
      return [{ level: "warn", text: `${connection.url.host} refuses the key.` }];
    }
    const facts = await askFacts(connection, profile, source.name, timeouts.healthMs);
    const findings = await findingsFor({ source, profile, connection, facts, timeoutMs: timeouts.healthMs });
    return findings.map(({ certain, refuses, text }) => ({
      level: refuses === true || (strict && certain) ? "refuse" : "warn",
      text,
    }));
  } finally {
    await connection.close();
  }
}

async function setUpFaults(source: UpstreamSource, resolve: Resolve | undefined): Promise<string[]> {
  const faults: string[] = [];
  try {
    requireIsolation(source);
  } catch (error) {
    if (!(error instanceof UpstreamRefused)) throw error;
    faults.push(error.message);
  }
  try {
    const { allowPublic } = source;
    await checkAddress(source.url, { allowPublic, ...(resolve === undefined ? {} : { resolve }) });
  } catch (error) {
    if (!(error instanceof AddressFault)) throw error;
    faults.push(error.message);
  }
  return faults;
}
