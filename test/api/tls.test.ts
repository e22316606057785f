import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { Agent, request, type RequestOptions } from "node:https";
import { connect as connectPlain } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TlsFiles } from "../../src/adapters/tls-files.js";
import { loadConfig } from "../../src/config.js";
import { checkTls } from "../../src/cli/doctor/network-checks.js";
import { makeCertificate } from "../support/inputs/certificates.js";
import { startServer, type TestServer } from "../support/processes/server.js";

describe("a server with a certificate", () => {
  let folder: string;
  let server: TestServer;
  let files: TlsFiles;
  const events: string[] = [];
  /** As cert-manager has them: the files are links through a link to a folder, which is replaced as a whole. */
  const current = () => join(folder, "current");
  const useFolder = (name: string) => {
    rmSync(current(), { force: true });
    symlinkSync(join(folder, name), current());
  };
  const pairIn = (name: string) => {
    mkdirSync(join(folder, name));
    const { cert, key } = makeCertificate(folder, name);
    copyFileSync(cert, join(folder, name, "tls.crt"));
    copyFileSync(key, join(folder, name, "tls.key"));
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sotto-tls-"));
    pairIn("first");
    pairIn("second");
    useFolder("first");
    files = await TlsFiles.open({
      paths: { cert: join(current(), "tls.crt"), key: join(current(), "tls.key") },
      onReloaded: () => events.push("reloaded"),
      onBroken: ({ message }) => events.push(message),
    });
    server = await startServer({ tls: files, metricsToken: "metrics-token" });
  });
  afterAll(async () => {
    await server.close();
    await files.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  afterAll(() => agent.destroy());
  const call = async (path: string, options: RequestOptions = {}, body?: string) => {
    const sent = request({ host: "127.0.0.1", port: server.port, path, agent, ...options });
    sent.end(body);
    const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
    const socket = response.socket as TLSSocket;
    let text = "";
    for await (const part of response) text += String(part);
    return { status: response.statusCode, text, socket, response };
  };
  const authorization = () => ({ authorization: `Bearer ${server.apiKey}` });
  const nameOf = (socket: TLSSocket) => socket.getPeerCertificate().subject.CN;
  const newConnection = async () => {
    const socket = connect({ host: "127.0.0.1", port: server.port, rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const name = nameOf(socket);
    socket.destroy();
    return name;
  };

  it("answers with it, on the API, health and metrics, and does not ask browsers to insist on it", async () => {
    expect((await call("/healthz")).status).toBe(200);
    const metrics = { headers: { authorization: "Bearer metrics-token" } };
    expect((await call("/metrics", metrics)).text).toContain("sotto_");
    const { status, socket, response } = await call("/v1/models", { headers: authorization() });
    expect([status, nameOf(socket)]).toEqual([200, "first"]);
    expect(socket.getProtocol()).toMatch(/^TLSv1\.[23]$/);
    expect(response.headers).not.toHaveProperty("strict-transport-security");
  });

  it("streams a reply", async () => {
    const body = { model: "omega", stream: true, messages: [{ role: "user", content: "Hi" }] };
    const headers = { ...authorization(), "content-type": "application/json" };
    const { status, text } = await call(
      "/v1/chat/completions",
      { method: "POST", headers },
      JSON.stringify(body),
    );
    expect(status).toBe(200);
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  it("takes up another pair behind a link, for new connections alone", async () => {
    const { socket } = await call("/healthz");
    useFolder("second");
    await files.look();
    expect(await newConnection()).toBe("second");
    const after = await call("/healthz");
    expect(after.socket).toBe(socket);
    expect([after.status, nameOf(after.socket)]).toEqual([200, "first"]);
    expect(events).toEqual(["reloaded"]);
  });

  it("keeps the pair that it has while the files are broken or missing, and says so once", async () => {
    events.length = 0;
    mkdirSync(join(folder, "mixed"));
    copyFileSync(join(folder, "first", "tls.crt"), join(folder, "mixed", "tls.crt"));
    copyFileSync(join(folder, "second", "tls.key"), join(folder, "mixed", "tls.key"));
    useFolder("mixed");
    await files.look();
    await files.look();
    expect(events).toEqual([expect.stringContaining("do not belong together")]);
    writeFileSync(join(folder, "mixed", "tls.crt"), "no certificate");
    await files.look();
    expect(events[1]).toContain("holds no certificate");
    rmSync(join(folder, "mixed", "tls.key"));
    await files.look();
    expect(events).toHaveLength(2);
    expect(await newConnection()).toBe("second");
    useFolder("first");
    await files.look();
    expect(await newConnection()).toBe("first");
    expect(events.at(-1)).toBe("reloaded");
  });

  it("hangs up on plain HTTP, and serves on", async () => {
    const socket = connectPlain({ host: "127.0.0.1", port: server.port });
    socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let text = "";
    socket.on("data", (part) => (text += String(part)));
    await Promise.race([once(socket, "close"), once(socket, "error")]);
    expect(text).not.toContain("200");
    expect((await call("/healthz")).status).toBe(200);
  });

  it("does not start with files that it cannot use, and names them", async () => {
    const open = (cert: string, key: string) =>
      TlsFiles.open({ paths: { cert, key }, onReloaded: () => undefined, onBroken: () => undefined });
    const [cert, key] = [join(folder, "first.crt"), join(folder, "first.key")];
    await expect(open(join(folder, "none"), key)).rejects.toThrow(/none of SOTTO_TLS_CERT .* \(ENOENT\)/);
    await expect(open(cert, cert)).rejects.toThrow(/first\.crt of SOTTO_TLS_KEY holds no private key/);
    await expect(open(key, key)).rejects.toThrow(/SOTTO_TLS_CERT holds no certificate/);
    await expect(open(cert, join(folder, "second.key"))).rejects.toThrow(/do not belong together/);
    expect(() => loadConfig({ env: { SOTTO_TLS_CERT: cert } })).toThrow(/set both or neither/);
  });

  it("is told by the doctor when its certificate expires", async () => {
    const check = (name: string) => {
      const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
      return checkTls(loadConfig({ env: { SOTTO_TLS_CERT: cert, SOTTO_TLS_KEY: key } }), { probe: false });
    };
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 7);
    expect(await check("first")).toMatchObject([{ state: "ok" }]);
    expect((await check("first"))[0]?.detail).toContain(
      `DNS:localhost, IP Address:127.0.0.1, expires on ${day}`,
    );
    makeCertificate(folder, "soon", 3);
    expect(await check("soon")).toMatchObject([{ state: "hint" }]);
    writeFileSync(join(folder, "odd.crt"), readFileSync(join(folder, "first.crt")));
    writeFileSync(join(folder, "odd.key"), "");
    expect(await check("odd")).toMatchObject([{ state: "broken" }]);
  });
});
