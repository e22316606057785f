/** What `sotto doctor` reports about the port, the certificate, the public address and the mail server. */
import { connect } from "node:net";
import { once } from "node:events";
import { Agent, request } from "undici";
import * as z from "zod";
import { requireFreePort } from "../require-free-port.js";
import { listenUrl } from "../settings.js";
import { broken, type Check, hint, ok } from "./finding.js";
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { TlsFiles } from "../../adapters/tls-files.js";
import { UserError } from "../../core/user-error.js";

const limitMs = 5_000;
const loopback = /^(127\.|::1$|localhost$)/;

export const checkPort: Check = async ({ service }) => {
  const { host, port } = service;
  const name = "port";
  if (port === 0) return [ok(name, "any free port, chosen at the start")];
  const code = await tryListening(host, port);
  if (code === null) return [ok(name, `${host}:${port} is free`)];
  if (code === "EADDRINUSE") {
    const state = await readinessAt(listenUrl(service));
    if (state !== null) return [ok(name, `Sotto is running on ${host}:${port} and is ${state}`)];
    const next = "Stop the program that uses it, or choose another port with SOTTO_PORT.";
    return [broken(name, `${host}:${port} is used by another program (EADDRINUSE)`, next)];
  }
  const next =
    code === "EACCES" ? "Choose a port above 1023 with SOTTO_PORT." : "Check SOTTO_HOST and SOTTO_PORT.";
  return [broken(name, `${host}:${port} cannot be listened on (${code})`, next)];
};

export const checkPublicAddress: Check = async ({ service, accounts }) => {
  const name = "public address";
  const { publicUrl, trustProxy } = accounts;
  if (publicUrl === undefined) {
    if (loopback.test(service.host)) return [ok(name, "none: only this machine can connect")];
    if (service.tlsCert !== undefined)
      return [ok(name, `other machines connect to ${service.host} with TLS`)];
    const next =
      "Put a reverse proxy with TLS in front, and set SOTTO_PUBLIC_URL and SOTTO_TRUST_PROXY, or set SOTTO_TLS_CERT and SOTTO_TLS_KEY.";
    return [hint(name, `other machines connect to ${service.host} without TLS`, next)];
  }
  if (!publicUrl.startsWith("https:") && !loopback.test(new URL(publicUrl).hostname)) {
    const next = "Put a reverse proxy with TLS in front: keys and conversations are sent unencrypted.";
    return [hint(name, `${publicUrl} is not https`, next)];
  }
  if (trustProxy === undefined && service.tlsCert === undefined && publicUrl.startsWith("https:")) {
    const next =
      "Set SOTTO_TRUST_PROXY to the proxy's address, so that clients can be told apart and cookies are secure.";
    return [hint(name, `${publicUrl}, and no proxy is trusted`, next)];
  }
  return [ok(name, publicUrl)];
};

export const checkMail: Check = async ({ accounts: { smtpUrl } }) => {
  const name = "mail";
  if (smtpUrl === undefined) {
    return [ok(name, "not set: the operator hands out password links and invitations")];
  }
  const url = new URL(smtpUrl);
  const port = Number(url.port === "" ? (url.protocol === "smtps:" ? 465 : 587) : url.port);
  const where = `${url.hostname}:${port}`;
  if (await canConnect(url.hostname, port)) return [ok(name, `${where} can be reached`)];
  const next = "Check SOTTO_SMTP_URL, and that this machine may connect to that port.";
  return [broken(name, `${where} cannot be reached`, next)];
};

const dayMs = 24 * 60 * 60_000;
const soonDays = 14;

/** Of the certificate that the server itself uses. */
export const checkTls: Check = async ({ service: { tlsCert, tlsKey } }) => {
  const name = "certificate";
  if (tlsCert === undefined || tlsKey === undefined) return [];
  try {
    const paths = { cert: tlsCert, key: tlsKey };
    const files = await TlsFiles.open({ paths, onReloaded: () => undefined, onBroken: () => undefined });
    await files.close();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [broken(name, error.message, "Check SOTTO_TLS_CERT and SOTTO_TLS_KEY.")];
  }
  const {
    validFrom,
    validTo,
    subjectAltName: names = "no name",
  } = new X509Certificate(await readFile(tlsCert));
  const [from, until] = [new Date(validFrom), new Date(validTo)];
  const now = Date.now();
  const leftDays = Math.floor((until.getTime() - now) / dayMs);
  const next = "Renew it. A running server takes up the new files within seconds.";
  if (from.getTime() > now) {
    const detail = `not valid before ${dayOf(from)}`;
    return [broken(name, detail, "Check this machine's clock.")];
  }
  if (leftDays < 0) return [broken(name, `expired on ${dayOf(until)}`, next)];
  const detail = `for ${names}, expires on ${dayOf(until)} (in ${leftDays} days)`;
  return [leftDays < soonDays ? hint(name, detail, next) : ok(name, detail)];
};

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

/** Null if the port is free, otherwise the error code. */
async function tryListening(host: string, port: number): Promise<string | null> {
  try {
    await requireFreePort(host, port);
    return null;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  }
}

const readiness = z.object({
  status: z.enum(["ready", "unavailable"]),
  reason: z.string().optional(),
  models: z.object({ omega: z.string() }),
  causes: z.record(z.string(), z.string()).optional(),
});

/** Null if another program listens there. */
async function readinessAt(url: string): Promise<string | null> {
  // Its certificate is for the name that people use, not for this machine's own address.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  try {
    const { body } = await request(`${url}/readyz`, { dispatcher, signal: AbortSignal.timeout(limitMs) });
    const parsed = readiness.safeParse(JSON.parse(await body.text()));
    if (!parsed.success) return null;
    const { status, reason = "no reason given", causes = {} } = parsed.data;
    const why = Object.entries(causes).map(([model, cause]) => `${model}: ${cause}`);
    if (status === "ready") return why.length === 0 ? "ready" : `ready, except ${why.join(", ")}`;
    return `not ready (${[reason, ...why].join(", ")})`;
  } catch {
    return null;
  } finally {
    await dispatcher.destroy();
  }
}

async function canConnect(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(limitMs) });
    return true;
  } catch {
    return false;
  } finally {
    socket.on("error", () => undefined).destroy();
  }
}
