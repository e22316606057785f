/** Programs that some tests of deploy/ need. Where they are missing, those tests are skipped. */
import { spawnSync } from "node:child_process";

const isThere = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

/** For `it.skipIf`. */
export const noHelm = spawnSync("helm", ["version"]).status !== 0;
export const noImageTools =
  process.getuid?.() !== 0 ||
  !["buildah", "podman", "runc", "mmdebstrap"].every((program) => isThere(program));
