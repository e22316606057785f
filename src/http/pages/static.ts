/**
 * The built pages. All files are listed when the server starts, so no path leads out of the folder, and read when
 * they are first asked for, then kept in memory. The application is one HTML file, served at a closed list of
 * addresses with a head for each (`page-html.ts`); at any other address a browser gets the same file with status 404.
 * Files with a hash in their name never change and are cached for a year; the others are revalidated each time.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../core/errors.js";
import { pageAddresses } from "../../protocol/pages/page-addresses.js";
import { notFoundHtml, pageHtml, sitemap, type PageSource, type RouteHints } from "./page-html.js";

const contentTypes = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json; charset=utf-8"],
  [".txt", "text/plain; charset=utf-8"],
  [".md", "text/markdown; charset=utf-8"],
  [".xml", "application/xml; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".webp", "image/webp"],
  [".ico", "image/x-icon"],
  [".woff2", "font/woff2"],
  [".webmanifest", "application/manifest+json"],
]);

const oneYear = "public, max-age=31536000, immutable";
const revalidate = "no-cache";

/** Below this the names have hashes. */
const assets = "/assets/";

/** In order of preference. */
const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

interface StaticFile {
  contentType: string;
  cacheControl: string;
  etag: () => string;
  plain: () => Buffer;
  encoded: Encoded[];
}

interface Encoded {
  encoding: string;
  bytes: () => Buffer;
}

/** The files that each page loads, for its preload hints. */
const hintsFile = "/route-hints.json";

export interface PagesOptions {
  webDir: string;
  publicUrl: string | undefined;
}

export function registerStatic(server: FastifyInstance, { webDir, publicUrl }: PagesOptions): void {
  const files = listFiles(webDir);
  const index = files.get("/index.html");
  if (index === undefined) {
    server.route({ method: "GET", url: "/", handler: notBuilt });
    return;
  }
  const hints = JSON.parse(files.get(hintsFile)?.plain().toString() ?? "{}") as RouteHints;
  const source: PageSource = { template: index.plain().toString(), hints, publicUrl };
  files.delete(hintsFile);
  files.delete("/index.html");
  const notFound = generated(".html", () => notFoundHtml(source));
  const route = (url: string, file: StaticFile) =>
    server.route({ method: "GET", url, handler: async (request, reply) => serve(request, reply, file) });
  for (const url of pageAddresses)
    route(
      url,
      generated(".html", () => pageHtml(source, url)),
    );
  for (const [url, file] of withSitemap(files, publicUrl)) if (!isAsset(url)) route(url, file);
  // One route for all of them: a hundred more would be a good part of the time to start.
  server.route<{ Params: { "*": string } }>({
    method: "GET",
    url: `${assets}*`,
    handler: async (request, reply) => {
      const file = files.get(assets + request.params["*"]);
      if (file !== undefined) return serve(request, reply, file);
      const shown = notFoundPage(request, reply, notFound);
      if (shown === null) throw new ServiceError("unknown_url");
      return shown;
    },
  });
  server.addHook("onRequest", showNotFound(notFound));
}

/** A sitemap has absolute URLs only, so there is none without a configured public URL. */
function withSitemap(
  files: ReadonlyMap<string, StaticFile>,
  publicUrl: string | undefined,
): Map<string, StaticFile> {
  const robots = files.get("/robots.txt");
  if (publicUrl === undefined || robots === undefined) return new Map(files);
  const url = `${publicUrl.replace(/\/+$/, "")}/sitemap.xml`;
  return new Map([
    ...files,
    ["/robots.txt", generated(".txt", () => `${robots.plain().toString()}Sitemap: ${url}\n`)],
    ["/sitemap.xml", generated(".xml", () => sitemap(publicUrl))],
  ]);
}

function serve(request: FastifyRequest, reply: FastifyReply, file: StaticFile): Buffer | FastifyReply {
  const etag = file.etag();
  reply.headers({
    "content-type": file.contentType,
    "cache-control": file.cacheControl,
    etag,
    vary: "accept-encoding",
  });
  // A handler that has sent must return the reply: Fastify sends what it returns, undefined too.
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  return encodedFor(request, reply, file);
}

/**
 * A hook rather than a wildcard route, which would match unknown paths of the API before the API's own handler, and
 * that one checks the key first.
 */
function showNotFound(page: StaticFile) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const isPage = request.is404 && !/^\/(v1|api)(\/|$)/i.test(request.url);
    const shown = isPage ? notFoundPage(request, reply, page) : null;
    if (shown === null) done();
    else reply.send(shown);
  };
}

/** Null for what is no browser. */
function notFoundPage(request: FastifyRequest, reply: FastifyReply, page: StaticFile): Buffer | null {
  reply.header("vary", "accept, accept-encoding");
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || !/\btext\/html\b/i.test(request.headers.accept ?? "")) return null;
  request.exchange.code = "unknown_url";
  reply.code(404).headers({ "content-type": page.contentType, "cache-control": page.cacheControl });
  return encodedFor(request, reply, page);
}

function encodedFor(request: FastifyRequest, reply: FastifyReply, file: StaticFile): Buffer {
  const accepted = acceptedEncodings(request.headers["accept-encoding"]);
  const chosen = file.encoded.find(({ encoding }) => accepted.has(encoding));
  if (chosen === undefined) return file.plain();
  reply.header("content-encoding", chosen.encoding);
  return chosen.bytes();
}

/** Those that are named and not refused with `q=0`. */
function acceptedEncodings(header: string | string[] = ""): Set<string> {
  const accepted = new Set<string>();
  for (const item of String(header).toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) accepted.add(name);
  }
  return accepted;
}

/** By URL path. */
function listFiles(webDir: string): Map<string, StaticFile> {
  if (!existsSync(webDir)) return new Map();
  const names = readdirSync(webDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const all = new Set(names);
  const read = (name: string) => once(() => readFileSync(name));
  const files = new Map<string, StaticFile>();
  for (const name of names) {
    if (encodings.some(([, extension]) => name.endsWith(extension))) continue;
    const url = `/${relative(webDir, name).replaceAll("\\", "/")}`;
    const encoded = encodings
      .filter(([, extension]) => all.has(name + extension))
      .map(([encoding, extension]) => ({ encoding, bytes: read(name + extension) }));
    files.set(url, staticFile(extname(name), isAsset(url) ? oneYear : revalidate, read(name), encoded));
  }
  return files;
}

const isAsset = (url: string): boolean => url.startsWith(assets);

/** Created and compressed once, on the first request. At a few kilobytes the best level would gain nothing. */
function generated(extension: string, text: () => string): StaticFile {
  const plain = once(() => Buffer.from(text()));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6 };
  return staticFile(extension, revalidate, plain, [
    { encoding: "br", bytes: once(() => brotliCompressSync(plain(), { params })) },
    { encoding: "gzip", bytes: once(() => gzipSync(plain())) },
  ]);
}

function once<T extends string | Buffer>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}

function staticFile(
  extension: string,
  cacheControl: string,
  plain: () => Buffer,
  encoded: Encoded[],
): StaticFile {
  const hash = () => createHash("sha256").update(plain()).digest("base64url").slice(0, 22);
  return {
    contentType: contentTypes.get(extension) ?? "application/octet-stream",
    cacheControl,
    // Weak, since the compressed forms share it.
    etag: once(() => `W/"${hash()}"`),
    plain,
    encoded,
  };
}

async function notBuilt(_request: FastifyRequest, reply: FastifyReply): Promise<string> {
  reply.code(503).header("content-type", "text/plain; charset=utf-8");
  return "The pages are not built. Run: npm run build\nThe API works without them.\n";
}
