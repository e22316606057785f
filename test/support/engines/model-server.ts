/** A server on this machine that speaks Hugging Face's layout, and can be made to misbehave. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";

export interface ModelServer {
  url: string;
  /** Requests for files, in order: what was asked for and with which of the headers that matter. */
  requests: { path: string; range: string | undefined; authorization: string | undefined }[];
  files: Map<string, Buffer>;
  behaviour: Behaviour;
  close(): Promise<void>;
}

interface Behaviour {
  /** End the connection after so many bytes of a file, so many times. */
  cutAfter?: number;
  cuts?: number;
  /** Waited for before the end, so that what was sent has arrived. */
  beforeCut?: (sentBytes: number) => Promise<void>;
  /** Send so many bytes and then nothing, once. */
  stallAfter?: number;
  ignoresRange?: boolean;
  /** Change the last byte of what is sent, so many times. */
  corrupts?: number;
  /** Say this hash instead of the file's own. */
  sha256?: string;
  /** Answer files with this status, so many times (always when absent). */
  status?: number;
  statuses?: number;
  /** Send the client elsewhere first, as Hugging Face does. */
  redirectTo?: string;
  redirectsForever?: boolean;
  etag?: string;
  /** Files on a page of the list. */
  pageSize?: number;
}

export async function startModelServer(files: Record<string, Buffer>): Promise<ModelServer> {
  const state = { files: new Map(Object.entries(files)), behaviour: {} as Behaviour };
  const requests: ModelServer["requests"] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname.startsWith("/api/models/")) {
      listFiles(pathname, Number(searchParams.get("cursor") ?? 0), response);
      return;
    }
    const { range, authorization } = request.headers;
    requests.push({ path: pathname, range, authorization });
    sendFile(pathname, request, response);
  });

  function listFiles(pathname: string, cursor: number, response: ServerResponse): void {
    const [, repository = ""] = /^\/api\/models\/([^/]+\/[^/]+)\/tree\/main$/.exec(pathname) ?? [];
    const prefix = `/${repository}/resolve/main/`;
    const listed = [...state.files].filter(([path]) => path.startsWith(prefix));
    if (repository === "gated/model") {
      end(response, 403);
      return;
    }
    if (listed.length === 0) {
      end(response, 404);
      return;
    }
    const pageSize = state.behaviour.pageSize ?? listed.length;
    const nextAt = cursor + pageSize;
    if (nextAt < listed.length) {
      response.setHeader("link", `<${pathname}?recursive=true&cursor=${nextAt}>; rel="next"`);
    }
    response.end(
      JSON.stringify([
        { type: "directory", path: "folder", oid: "0" },
        { type: "file", path: "README.md", size: 5, oid: "1" },
        ...listed.slice(cursor, nextAt).map(([path, bytes]) => ({
          type: "file",
          path: path.slice(prefix.length),
          size: bytes.length,
          oid: "2",
          lfs: { oid: state.behaviour.sha256 ?? sha256(bytes), size: bytes.length, pointerSize: 135 },
        })),
      ]),
    );
  }

  function sendFile(pathname: string, request: IncomingMessage, response: ServerResponse): void {
    const { behaviour } = state;
    const bytes = state.files.get(pathname.replace(/^(\/cdn)+/, ""));
    if (behaviour.status !== undefined && (behaviour.statuses ?? 1) > 0) {
      if (behaviour.statuses !== undefined) behaviour.statuses -= 1;
      end(response, behaviour.status);
      return;
    }
    if (bytes === undefined) {
      end(response, 404);
      return;
    }
    if (behaviour.redirectTo !== undefined && (behaviour.redirectsForever || !pathname.startsWith("/cdn"))) {
      response.setHeader("x-linked-etag", `"${behaviour.sha256 ?? sha256(bytes)}"`);
      response.setHeader("x-linked-size", bytes.length);
      response.setHeader("location", `${behaviour.redirectTo}/cdn${pathname}`);
      end(response, 302);
      return;
    }
    const etag = behaviour.etag ?? `"${sha256(bytes).slice(0, 16)}"`;
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const resumes = from > 0 && behaviour.ignoresRange !== true && request.headers["if-range"] === etag;
    response.setHeader("etag", etag);
    if (resumes && from >= bytes.length) {
      response.setHeader("content-range", `bytes */${bytes.length}`);
      end(response, 416);
      return;
    }
    const rest = damaged(resumes ? bytes.subarray(from) : bytes, behaviour);
    response.statusCode = resumes ? 206 : 200;
    if (resumes) response.setHeader("content-range", `bytes ${from}-${bytes.length - 1}/${bytes.length}`);
    response.setHeader("content-length", rest.length);
    if (behaviour.stallAfter !== undefined) {
      response.write(rest.subarray(0, behaviour.stallAfter));
      delete behaviour.stallAfter;
      return;
    }
    if (behaviour.cutAfter !== undefined && (behaviour.cuts ?? Infinity) > 0) {
      behaviour.cuts = (behaviour.cuts ?? Infinity) - 1;
      response.write(rest.subarray(0, behaviour.cutAfter));
      const { beforeCut = () => Promise.resolve() } = behaviour;
      void beforeCut(from + behaviour.cutAfter).then(() => response.destroy());
      return;
    }
    response.end(rest);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

/** A copy with another last byte, while the behaviour asks for it. */
function damaged(bytes: Buffer, behaviour: Behaviour): Buffer {
  if (behaviour.corrupts === undefined || behaviour.corrupts === 0) return bytes;
  behaviour.corrupts -= 1;
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 1, copy.length - 1);
  return copy;
}

function end(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end("no");
}

export const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
