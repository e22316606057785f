/**
 * The certificate and private key that the server speaks TLS with, from files, and again whenever they change. The files
 * are read every few seconds rather than watched: what renews certificates replaces them in ways that watchers miss, such
 * as a symbolic link to another folder. While one of them is new and the other is not yet, or a new pair is broken, the
 * pair before stays in use.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { PeriodicTask } from "../core/periodic-task.js";
import { UserError } from "../core/user-error.js";

const everyMs = 5_000;

/** In PEM, or as the paths of files. */
type TlsPair = Record<"cert" | "key", string>;

interface TlsFilesParts {
  paths: TlsPair;
  onReloaded: () => void;
  /** Once for each change; the message names the files. */
  onBroken: (error: UserError) => void;
}

export class TlsFiles {
  #seen: TlsPair;
  #onChange: ((pair: TlsPair) => void) | null = null;
  readonly #task: PeriodicTask;

  /** Rejects with `UserError` when the files cannot be used. */
  static async open(parts: TlsFilesParts): Promise<TlsFiles> {
    const pair = await readPair(parts.paths);
    requireUsable(pair, parts.paths);
    return new TlsFiles(parts, pair);
  }

  private constructor(
    private readonly parts: TlsFilesParts,
    readonly first: TlsPair,
  ) {
    this.#seen = first;
    this.#task = new PeriodicTask(() => this.#look(), everyMs);
  }

  /** Called with every pair that replaces the one before. */
  onChange(listener: (pair: TlsPair) => void): void {
    this.#onChange = listener;
  }

  look(): Promise<void> {
    return this.#task.runAgain();
  }

  close(): Promise<void> {
    return this.#task.stop();
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { paths, onReloaded, onBroken } = this.parts;
    try {
      const pair = await readPair(paths);
      if (pair.cert === this.#seen.cert && pair.key === this.#seen.key) return;
      this.#seen = pair;
      requireUsable(pair, paths);
      this.#onChange?.(pair);
      onReloaded();
    } catch (error) {
      // A file that is missing for a moment is in the middle of being replaced.
      if (error instanceof UserError && !(error instanceof Unreadable)) onBroken(error);
    }
  }
}

class Unreadable extends UserError {}

async function readPair({ cert, key }: TlsPair): Promise<TlsPair> {
  return {
    cert: await readText(cert, "SOTTO_TLS_CERT"),
    key: await readText(key, "SOTTO_TLS_KEY"),
  };
}

async function readText(path: string, setting: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new Unreadable(`The file ${path} of ${setting} cannot be read${code}.`);
  }
}

/** Each error by itself: what OpenSSL says about a pair helps nobody. */
function requireUsable({ cert, key }: TlsPair, paths: TlsPair): void {
  const certificate = parsed(() => new X509Certificate(cert));
  if (certificate === null) {
    throw new UserError(`The file ${paths.cert} of SOTTO_TLS_CERT holds no certificate in PEM.`);
  }
  const privateKey = parsed(() => createPrivateKey(key));
  if (privateKey === null) {
    throw new UserError(
      `The file ${paths.key} of SOTTO_TLS_KEY holds no private key in PEM, or one with a passphrase.`,
    );
  }
  if (certificate.checkPrivateKey(privateKey) && parsed(() => createSecureContext({ cert, key })) !== null)
    return;
  throw new UserError(
    `The certificate ${paths.cert} and the key ${paths.key} do not belong together (SOTTO_TLS_CERT, SOTTO_TLS_KEY).`,
  );
}

function parsed<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch {
    return null;
  }
}
