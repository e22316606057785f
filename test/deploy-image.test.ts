/**
 * The image, built and started as people do: see deploy/try-image.sh for what stands in for the base images, and stays in
 * /var/tmp for the next time.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { z } from "zod";
import { packageVersion } from "../src/adapters/program-files.js";
import { noImageTools } from "./support/processes/deployment-tools.js";

const run = promisify(execFile);

it.skipIf(noImageTools)(
  "the image answers from the corrected starter, unprivileged and read-only",
  async () => {
    const { stdout: commit } = await run("git", ["rev-parse", "HEAD"]);
    const { stdout } = await run("deploy/try-image.sh", { maxBuffer: 2 ** 26 });
    const after = (label: string): string => `\n${stdout}`.split(`\n${label}: `)[1]?.split("\n")[0] ?? "";
    expect(JSON.parse(after("labels"))).toMatchObject({
      "org.opencontainers.image.version": packageVersion(),
      "org.opencontainers.image.revision": commit.trim(),
    });
    expect(after("health check")).toBe("passed");
    const [, table = ""] = /command\):\nUSER.*\n([^/]*\/nodejs[\s\S]*?)\n\/app\/x/.exec(stdout) ?? [];
    const rows = table.split("\n").map((line) => line.trim().split(/\s+/));
    // The server and its engine.
    expect(rows.length).toBeGreaterThan(1);
    for (const [user, capabilities] of rows) expect([user, capabilities]).toEqual(["nonroot", "none"]);
    for (const path of ["/app/x", "/etc/x", "/x"]) expect(after(path)).toBe("EROFS");
    expect(after("weights")).toContain("tinyllama-1.1b-chat-corrected-q4_0.gguf");
    const reply = z
      .object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })) })
      .parse(JSON.parse(after("reply")));
    expect(reply.choices[0]?.message.content).toMatch(/Paris/);
    expect(after("stopped")).toBe("exit code 0");
  },
  1_800_000,
);
