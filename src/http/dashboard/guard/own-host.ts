/**
 * Refuses the dashboard and its pages under a host name that is not the server's own (DNS rebinding): a site
 * whose name suddenly resolves to this machine is, to a browser, the same origin as our pages, and `Origin`
 * agrees with `Host`. Only the name in `Host` reveals it.
 *
 * An attacker needs a name they control, so addresses (`192.168.1.5`) are safe wherever other machines may
 * connect, and loopback names are safe everywhere. Every other name must be known: that of the public URL, or
 * without one that of this machine. `/v1`, SCIM and Ollama's API are left alone: their key is in a header that no browser adds
 * by itself, and proxies reach them under names of their own. So do those that probe health and metrics, and what is
 * public anyway.
 */
import { BlockList, isIP } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { DashboardError } from "../../../core/dashboard-error.js";
import { isOllamaPath } from "../../../protocol/ollama/paths.js";

export interface OwnNames {
  /** The configured address, if any. */
  publicUrl: string | undefined;
  /** The address or name that is listened on. */
  listenHost: string;
  /** This machine's name. */
  machineName: string;
}

const elsewhere = /^\/((v1|scim)(\/|\?|$)|\.well-known\/|(healthz|readyz|metrics)\/?(\?|$))/;
const dashboardApi = /^\/api(\/|\?|$)/;

/** For the `onRequest` hook. */
export function requireOwnHost(names: OwnNames) {
  const isOwn = ownHosts(names);
  const refusal = refusalText(names);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (elsewhere.test(request.url) || isOllamaPath(request.url) || isOwn(request.host)) {
      done();
      return;
    }
    if (dashboardApi.test(request.url)) throw new DashboardError("forbidden", refusal);
    request.exchange.code = "insufficient_permissions";
    reply.code(403).header("content-type", "text/plain; charset=utf-8").send(`${refusal}\n`);
  };
}

/** Whether a `Host` header, with or without a port, names this server. */
export function ownHosts({ publicUrl, listenHost, machineName }: OwnNames): (host: string) => boolean {
  const isLocalOnly = isLoopback(normalName(listenHost));
  const known = new Set(publicUrl === undefined ? machineNames(machineName) : [nameIn(publicUrl)]);
  if (isLocalOnly && publicUrl === undefined) known.clear();
  if (!isIP(normalName(listenHost))) known.add(normalName(listenHost));
  return (host) => {
    // HTTP/1.0 may leave it out; browsers never do.
    if (host === "") return true;
    const name = nameOf(host);
    if (name === null) return false;
    return isLoopback(name) || known.has(name) || (!isLocalOnly && isIP(name) !== 0);
  };
}

function refusalText({ publicUrl }: OwnNames): string {
  const setting = "SOTTO_PUBLIC_URL";
  return publicUrl === undefined
    ? `This server does not answer to this host name. To use the name, set ${setting} to the address that people open, such as https://chat.example.com.`
    : `This server does not answer to this host name. Open ${publicUrl}, the address that ${setting} sets.`;
}

/** The name without port and brackets; null when it is none. */
function nameOf(host: string): string | null {
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@?#[\]\\]+))(?::\d*)?$/i.exec(host) ?? [];
  const found = address ?? name;
  return found === undefined ? null : normalName(found);
}

const nameIn = (url: string): string => normalName(new URL(url).hostname.replace(/^\[|\]$/g, ""));

/** `Example.com.` and `example.com` are one name. */
const normalName = (name: string): string => name.toLowerCase().replace(/\.$/, "");

/** As neighbours on the network write it: whole, its first part, and that as announced by mDNS. */
function machineNames(name: string): string[] {
  const whole = normalName(name);
  const [first = whole] = whole.split(".");
  return [whole, first, `${first}.local`];
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopback(name: string): boolean {
  const family = isIP(name);
  if (family === 0) return name === "localhost" || name.endsWith(".localhost");
  return loopback.check(name, family === 4 ? "ipv4" : "ipv6");
}
