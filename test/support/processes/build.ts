import { execFileSync } from "node:child_process";

/** Engine workers and black-box tests run the built program, so every test run starts from a fresh build. */
export default function buildOnce(): void {
  execFileSync(process.execPath, ["scripts/build.js"], { stdio: "inherit" });
}
