/** The engine's real child process, whose load can be counted, held and made to fail. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export interface GatedWorker {
  workerFile: string;
  /** Process ids of all that were started, in order. */
  started(): number[];
  /** From now on a child waits before it loads. */
  hold(): void;
  release(): void;
  /** From now on a child ends instead of loading. */
  breakLoads(): void;
  mend(): void;
}

export function gatedWorker(folder: string): GatedWorker {
  const own = mkdtempSync(join(folder, "worker-"));
  const workerFile = join(own, "worker.mjs");
  const startedFile = join(own, "started");
  const heldFile = join(own, "held");
  const brokenFile = join(own, "broken");
  const real = pathToFileURL(resolve("dist/worker.js")).href;
  writeFileSync(
    workerFile,
    `import { appendFileSync, existsSync } from "node:fs";
     import { setTimeout as sleep } from "node:timers/promises";
     appendFileSync(${JSON.stringify(startedFile)}, process.pid + "\\n");
     const leave = () => process.exit(1);
     process.once("disconnect", leave);
     if (existsSync(${JSON.stringify(brokenFile)})) process.exit(1);
     while (existsSync(${JSON.stringify(heldFile)})) await sleep(10);
     process.off("disconnect", leave);
     await import(${JSON.stringify(real)});`,
  );
  return {
    workerFile,
    started: () =>
      existsSync(startedFile) ? readFileSync(startedFile, "utf8").trim().split("\n").map(Number) : [],
    hold: () => {
      writeFileSync(heldFile, "");
    },
    release: () => {
      rmSync(heldFile);
    },
    breakLoads: () => {
      writeFileSync(brokenFile, "");
    },
    mend: () => {
      rmSync(brokenFile);
    },
  };
}
