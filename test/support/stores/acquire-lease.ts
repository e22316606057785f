/** One permission to run, and nothing else. */
import type { Admissions, Lease } from "../../../src/core/counters.js";

/** Null when `limit` of this name are held. */
export async function acquireLease(
  { admissions }: { admissions: Admissions },
  name: string,
  limit: number,
): Promise<Lease | null> {
  const { lease } = await admissions.admit({ first: [], leases: [{ name, limit }], then: [], read: [] });
  return lease;
}
