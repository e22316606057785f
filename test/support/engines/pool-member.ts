import type { Engine } from "../../../src/core/serving/engine-port.js";
import type { MadeMember, PoolMember } from "../../../src/engines/pool/member.js";

/** An engine that runs already, as a member of a pool. */
export const memberOf = (id: string, engine: Engine, made: Partial<MadeMember> = {}): PoolMember => ({
  id,
  settings: id,
  make: () => ({ engine, ready: async () => undefined, ...made }),
});
