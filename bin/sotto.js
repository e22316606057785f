#!/usr/bin/env node
/**
 * Starts the built program. In a checkout it builds first when a source is newer than the build; an
 * installed package has no sources and starts at once.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

function buildIsStale() {
  if (!existsSync(`${root}/src`)) return false;
  const stamp = statSync(`${root}/dist/.built`, { throwIfNoEntry: false });
  if (stamp === undefined) return true;
  const sources = ["src", "web", "native"].flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, withFileTypes: true }),
  );
  const built = sources.filter((entry) => entry.isFile() && !entry.name.includes(".test."));
  return built.some((entry) => statSync(`${entry.parentPath}/${entry.name}`).mtimeMs > stamp.mtimeMs);
}

if (buildIsStale()) {
  try {
    const { buildProgram } = await import("./build-program.js");
    await buildProgram(`${root}/scripts/build.js`);
  } catch (error) {
    process.stderr.write(
      `${error.message}\nThe build failed. Run 'npm ci' if packages are missing, then try again.\n`,
    );
    process.exit(1);
  }
}

// npm passes a signal on to the shell that it starts, and many shells end without telling us: then we stop as well.
if (process.env.npm_lifecycle_event !== undefined) {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 500);
  watch.unref();
}
await import("../dist/main.js");
