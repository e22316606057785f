/**
 * A process of its own that asks the binding which backend it chooses on this machine, tells its parent and
 * ends. Native code can crash while it looks for drivers; whoever asks must not.
 */
import { getLlama } from "node-llama-cpp";

const llama = await getLlama({
  gpu: process.argv[2] === "off" ? false : "auto",
  build: "never",
  skipDownload: true,
  progressLogs: false,
  logger: () => undefined,
});
const backend = {
  backend: llama.gpu === false ? "cpu" : llama.gpu,
  devices: llama.gpu === false ? [] : await llama.getGpuDeviceNames(),
  cores: llama.cpuMathCores,
};
process.send?.(backend, () => process.exit(0));
