/**
 * The matrix products of native/kernels-*.c beside others, called by ggml's libraries as they are in the engine
 * (test/support/native/check-kernels.c): by the first that this processor can run, in the deep suite by all of these.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { prebuiltBinding } from "../../../src/engines/llama/binding-package.js";
import { sourceFiles } from "../../../src/engines/llama/extension/extension-file.js";
import { isDeep } from "../../support/depth.js";
import { noCompiler } from "../../support/processes/compiler.js";

const folder = mkdtempSync(join(tmpdir(), "sotto-kernels-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cannotRun = 2;
const quantized = ["q4_0_8x8_q8_0", "q4_K_8x8_q8_K"].flatMap((name) => [
  `ggml_gemv_${name}`,
  `ggml_gemm_${name}`,
]);
const replaced = [...quantized, "llamafile_sgemm"];

function compile(...options: string[]): string {
  const program = join(folder, `check-kernels-${options.length}`);
  const kernels = sourceFiles().filter((path) => /kernels-.*\.c$/.test(path));
  const sources = ["test/support/native/check-kernels.c", ...kernels];
  const flags = ["-O2", "-fPIC", "-Wall", "-Wextra", "-rdynamic", "-I", "native", ...options];
  execFileSync("cc", [...flags, "-o", program, ...sources, "-ldl", "-lm"]);
  return program;
}

function check(program: string): number {
  const libraries = dirname(prebuiltBinding("cpu")?.addon ?? "");
  const names = readdirSync(libraries).filter((name) => /^libggml-cpu-.*\.so$/.test(name));
  let checked = 0;
  for (const name of names.sort()) {
    // The loader says which function of which file each call is bound to.
    const env = { ...process.env, LD_LIBRARY_PATH: libraries, LD_DEBUG: "bindings" };
    const options = { env, encoding: "utf8", maxBuffer: 2 ** 28 } as const;
    const { status, stderr, stdout } = spawnSync(program, [join(libraries, name)], options);
    if (status === cannotRun) continue;
    const said = stderr.split("\n");
    expect({ name, status, said: said.filter((line) => !/^ *\d+:\t/.test(line)) }).toEqual({
      name,
      status: 0,
      said: [""],
    });
    for (const symbol of replaced)
      expect(said.some((line) => line.includes(`to ${program} `) && line.includes(`\`${symbol}'`))).toBe(
        true,
      );
    expect(stdout.split("\n").length).toBeGreaterThan(100);
    checked += 1;
    if (!isDeep) break;
  }
  return checked;
}

describe.skipIf(noCompiler || process.arch !== "x64")("matrix products of the engine's extension", () => {
  it("are those of other functions, and the same for a row alone as among others", () => {
    expect(check(compile())).toBeGreaterThan(0);
  });

  it("are ggml's on a processor without AVX-512", () => {
    expect(check(compile("-D__builtin_cpu_supports(name)=0"))).toBeGreaterThan(0);
  });
});
