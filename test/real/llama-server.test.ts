import { describeEngineContract } from "../contract/engine.js";
import { connectUpstream } from "../support/upstream-engine.js";
import { startLlamaServer } from "./llama-server.js";

describeEngineContract("A llama-server", async () => {
  const server = await startLlamaServer();
  const engine = await connectUpstream({ url: server.url, profile: "llama-server" });
  return {
    engine,
    dispose: async () => {
      await engine.close();
      await server.close();
    },
  };
});
