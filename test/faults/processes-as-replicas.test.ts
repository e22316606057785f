/** One server with several processes, a Redis and a certificate: to Redis they are replicas, and what is set applies to all. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { promisify } from "node:util";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ScriptedUpstream, startScriptedUpstream } from "../support/engines/scripted-upstream.js";
import { eventually } from "../support/eventually.js";
import { makeCertificate } from "../support/inputs/certificates.js";
import { childrenOf } from "../support/processes/children.js";
import { type SottoProcess, startSotto } from "../support/processes/sotto-process.js";
import { noRedis, TestRedis } from "../support/stores/redis.js";

const count = 2;

describe.skipIf(noRedis)("several processes with Redis and a certificate", () => {
  let redis: TestRedis;
  let upstream: ScriptedUpstream;
  let server: SottoProcess;
  const folder = mkdtempSync(join(tmpdir(), "sotto-tls-"));
  const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const useCertificate = (name: string) => {
    const made = makeCertificate(folder, name);
    copyFileSync(made.key, key);
    copyFileSync(made.cert, cert);
  };
  const agent = new Agent({ connect: { rejectUnauthorized: false } });

  beforeAll(async () => {
    useCertificate("first");
    redis = await TestRedis.start();
    upstream = await startScriptedUpstream();
    const members = JSON.stringify([{ url: upstream.url, profile: "vllm", maxConcurrent: 400 }]);
    server = await startSotto({
      env: {
        SOTTO_PROCESSES: String(count),
        SOTTO_REDIS_URL: redis.url,
        SOTTO_TLS_CERT: cert,
        SOTTO_TLS_KEY: key,
        SOTTO_MODELS_OMEGA_UPSTREAMS: members,
        SOTTO_MODELS_PRISM_UPSTREAMS: members,
        SOTTO_MODELS_LAMBDA_UPSTREAMS: members,
        SOTTO_MODELS_IOTA_WEIGHTS: "off",
        SOTTO_LIMIT_CONCURRENT_REQUESTS: "1000",
      },
    });
    await eventually(() => outputs("listening") === count);
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all([upstream.close(), redis.kill(), agent.destroy()]);
  });

  const outputs = (message: string) => server.output().split(`"msg":"${message}"`).length - 1;

  const ask = async (secret: string): Promise<number> => {
    const { statusCode, body } = await request(`${server.baseURL}/chat/completions`, {
      method: "POST",
      dispatcher: agent,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "omega", messages: [{ role: "user", content: "go on" }] }),
    });
    await body.dump();
    return statusCode;
  };

  /** Connections are given to the processes in turn. */
  const certificateNames = () =>
    Promise.all(
      Array.from({ length: 2 * count }, async () => {
        const socket = connect({ port: Number(new URL(server.url).port), rejectUnauthorized: false });
        await once(socket, "secureConnect");
        const { CN } = socket.getPeerCertificate().subject;
        socket.destroy();
        return CN;
      }),
    );

  it("keep a limit exactly", async () => {
    await server.run("accounts", "create", "ada@example.com");
    const options = ["--requests-per-day", "60", "--json"];
    const created = await server.run("keys", "create", "ada@example.com", ...options);
    const { key: secret } = JSON.parse(created) as { key: string };
    const statuses = await Promise.all(Array.from({ length: 70 }, () => ask(secret)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    const replicas = await redis.command(async (client) => {
      const [set = ""] = await client.keys("sotto:replicas:*");
      return client.zcard(set);
    });
    expect(replicas).toBe(count);
  });

  it("all take up a certificate that has changed", async () => {
    expect(await certificateNames()).toEqual(Array.from({ length: 2 * count }, () => "first"));
    useCertificate("second");
    await eventually(() => outputs("certificate reloaded") === count);
    expect(await certificateNames()).toEqual(Array.from({ length: 2 * count }, () => "second"));
  });

  it("are all searched by a privacy check", async () => {
    const args = ["privacy", "check", "--json", "--url", server.url, "--wait", "0"];
    const env = { PATH: process.env.PATH, TMPDIR: server.tempDir, SOTTO_DATA_DIR: server.dataDir };
    const trusting = {
      SOTTO_REDIS_URL: redis.url,
      NODE_EXTRA_CA_CERTS: cert,
      SOTTO_PROCESSES: String(count),
    };
    // Memory may still hold a mark at this moment: `sotto privacy check` waits for a minute.
    const { stdout } = await promisify(execFile)(process.execPath, ["dist/main.js", ...args], {
      env: { ...env, ...trusting },
    }).catch((failed: unknown) => failed as { stdout: string });
    const { details } = JSON.parse(stdout) as { details: { kind: string; name: string; verdict: string }[] };
    const searched = details.filter(({ kind }) => kind === "server_memory").map(({ name }) => name);
    const processes = [server.pid, ...childrenOf(server.pid)];
    expect(searched).toEqual(processes.map((pid) => `memory of the server (process ${pid})`));
    const elsewhere = details.filter(({ kind }) => kind !== "server_memory");
    expect(elsewhere.filter(({ verdict }) => verdict === "found")).toEqual([]);
    expect(elsewhere.map(({ kind }) => kind)).toContain("redis");
  });
});
