import { PoolEngine } from "../../../src/engines/pool/pool-engine.js";
import { serveAsUpstream } from "../../support/engines/engine-as-upstream.js";
import { memberOf } from "../../support/engines/pool-member.js";
import { startTinyEngine } from "../../support/engines/tiny-engine.js";
import { connectUpstream } from "../../support/engines/upstream-engine.js";
import { describeEngineContract } from "./engine-contract.js";

// The same weights twice: embedded, and behind another Sotto.
describeEngineContract("A pool of an embedded and an upstream engine", async () => {
  const [embedded, remote] = [startTinyEngine(), startTinyEngine()];
  await Promise.all([embedded.engine.ready(), remote.engine.ready()]);
  const served = await serveAsUpstream(remote.engine);
  const upstream = await connectUpstream({ url: served.url, key: served.key, maxConcurrent: 2 });
  const engine = new PoolEngine([
    memberOf("embedded", embedded.engine),
    memberOf("upstream", upstream, { waiting: () => upstream.waiting() }),
  ]);
  return {
    engine,
    dispose: async () => {
      await engine.close();
      await served.close();
      await Promise.all([embedded.dispose(), remote.dispose()]);
    },
  };
});
