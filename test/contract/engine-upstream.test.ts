import { serveAsUpstream } from "../support/engine-as-upstream.js";
import { startTinyEngine } from "../support/tiny-engine.js";
import { connectUpstream } from "../support/upstream-engine.js";
import { describeEngineContract } from "./engine.js";

describeEngineContract("An upstream engine", async () => {
  const tiny = startTinyEngine();
  await tiny.engine.ready();
  const upstream = await serveAsUpstream(tiny.engine);
  const engine = await connectUpstream({ url: upstream.url, key: upstream.key, maxConcurrent: 4 });
  return {
    engine,
    dispose: async () => {
      await engine.close();
      await upstream.close();
      await tiny.dispose();
    },
  };
});
