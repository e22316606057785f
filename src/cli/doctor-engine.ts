/** What `sotto doctor` says about the engine: which backend the binding chooses, asked in a process of its own. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Check } from "./finding.js";

const backendSchema = z.object({ backend: z.string(), devices: z.array(z.string()), cores: z.number() });
const limitMs = 60_000;

export const checkEngine: Check = async ({ engine }) => {
  const name = "engine";
  const answer = await askBinding(engine.gpu);
  if (answer === null) {
    const next =
      "Run 'npm ci --include=optional' on this machine: the engine comes as a package for its processor.";
    return [{ name, state: "broken", detail: "the engine's binding does not start", next }];
  }
  const { backend, devices, cores } = answer;
  const threads = engine.threads ?? cores;
  if (backend !== "cpu") return [{ name, state: "ok", detail: `${backend} on ${devices.join(", ")}` }];
  const why = engine.gpu === "off" ? ", since SOTTO_ENGINE_GPU is off" : "";
  return [{ name, state: "ok", detail: `CPU with ${threads} threads${why}` }];
};

function askBinding(gpu: "auto" | "off"): Promise<z.infer<typeof backendSchema> | null> {
  return new Promise((resolve) => {
    const child = fork(probeFile(), [gpu], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      timeout: limitMs,
      killSignal: "SIGKILL",
    });
    child.on("message", (message) => {
      const parsed = backendSchema.safeParse(message);
      resolve(parsed.success ? parsed.data : null);
    });
    child.on("error", () => resolve(null));
    child.on("exit", () => resolve(null));
  });
}

/** Run from its sources, the program's probe is a source too. */
function probeFile(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`../engines/backend-probe.${extension}`, import.meta.url));
}
