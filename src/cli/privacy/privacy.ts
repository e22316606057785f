/**
 * `sotto privacy check`: sends marked requests of every class through the running service, waits, and looks for the
 * marks wherever the service could have left them. The result is signed, saved, and shown on the status page.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { CommanderError, InvalidArgumentError, type Command } from "commander";
import { packageVersion } from "../../adapters/program-files.js";
import { readServiceKey } from "../../adapters/service-key.js";
import type { Config } from "../../config.js";
import { systemClock } from "../../core/clock.js";
import {
  type PrivacyCheckResult,
  saveCheck,
  type Verdict,
  verdictOf,
} from "../../core/proof/privacy-check.js";
import { SealedElsewhere, SealedSettings } from "../../core/proof/sealed-settings.js";
import { openSigner, type Signer } from "../../core/proof/signer.js";
import { UserError } from "../../core/user-error.js";
import type { FullStore } from "../../store/full-store.js";
import { endWith } from "../exit-codes.js";
import { noServerAt, originOf } from "../origin.js";
import { report } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand, withStore } from "../store-command.js";
import { paint } from "../terminal.js";
import { sendMarked, type SentRequest, type Target } from "./marked-requests.js";
import { lookAt, type Looking, type Place, placesToLook } from "./places.js";
import { createTemporaryKey, removeTemporaryKey } from "./temporary-key.js";

interface CheckOptions {
  url?: string;
  also: string[];
  wait: number;
  model: string;
}

const usualWaitSeconds = 60;
const mostWaitSeconds = 3_600;
const couldNotRun = 2;

export function privacyCommand(program: Command): void {
  const privacy = program
    .command("privacy")
    .description("check that nothing of a conversation is left behind");
  storeCommand(privacy, "check", "send marked requests, then search everything for the marks")
    .option("--url <url>", "where the server is (default: SOTTO_PUBLIC_URL, or this machine)")
    .option("--also <path...>", "search this file or folder, too: a proxy's logs, journald's output", [])
    .option("--wait <seconds>", "time between the last reply and the search", parseWait, usualWaitSeconds)
    .option("--model <model>", "the model to ask", "omega")
    .notes(
      `
Examples:
  sotto privacy check
  sotto privacy check --also /var/log/nginx --also /var/log/journal
  sotto privacy check --wait 10 --json

It looks at the memory of the server and its engines, the database, Redis, the data directory, temporary files and
every --also path, and at the settings of core dumps and swap. Run it where the server runs, as root or as its user.
It ends with 0 when no mark was found, with 1 when one was, and with 2 when it could not run.`,
    )
    .action(async (options: CheckOptions, command: Command) => {
      const stopping = new AbortController();
      const stop = () => {
        stopping.abort(new UserError("Stopped. The key of this check was deleted; nothing was saved."));
      };
      process.on("SIGINT", stop).on("SIGTERM", stop);
      try {
        await check(command, options, stopping.signal);
      } catch (error) {
        if (error instanceof CommanderError) throw error;
        const reason = error instanceof Error ? error.message : "unknown error";
        command.error(`error: ${reason}`, { exitCode: couldNotRun });
      } finally {
        process.off("SIGINT", stop).off("SIGTERM", stop);
      }
    });
}

async function check(command: Command, options: CheckOptions, signal: AbortSignal): Promise<void> {
  const config = readSettings(command);
  const origin = originOf(options.url, command);
  await requireServer(origin, signal);
  const startedMs = Date.now();
  let sent: SentRequest[];
  // The store is closed while files are read: closing a file of SQLite drops the locks that this process has on it.
  const { key, mustEncrypt } = await withStore(command, createTemporaryKey);
  try {
    const { bodyLimitBytes, requireEncryption } = config.service;
    const isEncrypted = mustEncrypt || requireEncryption === "all";
    const publicKey = isEncrypted ? await fetchPublicKey(origin, signal) : null;
    const target = { origin, key, model: options.model, bodyLimitBytes, publicKey };
    sent = await send(target, signal);
  } finally {
    progress("");
    // Before the search: an account may have caches for ten minutes, and they go with it.
    await withStore(command, removeTemporaryKey);
  }
  await wait(options.wait, signal);
  const places = await look({ config, sent, startedMs, also: options.also, signal });
  progress("");
  const result = resultOf(sent, places, options.wait);
  const signed = await withStore(command, async ({ store }) => {
    const signer = await signerOf(store, config);
    await saveCheck(store, signer, result);
    return signer !== null;
  });
  const verdict = verdictOf(places);
  const unexpected = sent.flatMap(({ name, unexpected }) =>
    unexpected === null ? [] : [{ name, unexpected }],
  );
  const value = { ...result, verdict, signed, details: places, unexpected };
  report(command, value, textOf(sent.length, unexpected, places, verdict, signed));
  if (verdict === "found") throw endWith(1);
}

const serverMs = 5_000;

async function requireServer(origin: string, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(`${origin}/healthz`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(serverMs)]),
    });
    await response.arrayBuffer();
  } catch {
    signal.throwIfAborted();
    throw noServerAt(origin);
  }
}

/** The first of the key configurations: `/.well-known/hpke-keys` as RFC 9458 writes them. */
async function fetchPublicKey(origin: string, signal: AbortSignal): Promise<Uint8Array> {
  const response = await fetch(`${origin}/.well-known/hpke-keys`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(serverMs)]),
  });
  const configuration = new Uint8Array(await response.arrayBuffer());
  if (!response.ok || configuration.length < 35)
    throw new UserError(`Requests must be encrypted, and ${origin}/.well-known/hpke-keys has no key for it.`);
  return configuration.slice(3, 35);
}

async function send(target: Target, signal: AbortSignal): Promise<SentRequest[]> {
  const sent = await sendMarked(target, signal, (name, done, all) => {
    progress(`Sending marked requests: ${done} of ${all} (${name})`);
  });
  if (sent.every(({ unexpected }) => unexpected !== null)) {
    throw new UserError(
      `None of the ${sent.length} requests was answered as it should be: ${sent[0]?.unexpected ?? ""}. Run 'sotto doctor'.`,
    );
  }
  return sent;
}

async function wait(seconds: number, signal: AbortSignal): Promise<void> {
  for (let left = seconds; left > 0; left--) {
    progress(`Waiting ${left} s before memory is searched`);
    await sleep(1_000, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function look(looking: Looking): Promise<Place[]> {
  const places: Place[] = [];
  for (const one of placesToLook(looking)) {
    progress(`Searching: ${one.name}`);
    places.push(await lookAt(one, looking));
  }
  return places;
}

/** One line that replaces the one before, where somebody watches. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

/** Null where the key is in the server's memory only, or sealed by another service key. */
async function signerOf(store: FullStore, { service }: Config): Promise<Signer | null> {
  if (service.proofKeys === "memory") return null;
  try {
    return await openSigner(new SealedSettings(store, readServiceKey(service.secretKey, service.dataDir)));
  } catch (error) {
    if (error instanceof SealedElsewhere) return null;
    throw error;
  }
}

function resultOf(
  sent: readonly SentRequest[],
  places: readonly Place[],
  waited: number,
): PrivacyCheckResult {
  const kinds = [...new Set(places.map(({ kind }) => kind))];
  return {
    type: "sotto-privacy-check",
    version: packageVersion(),
    at: systemClock.now().toISOString(),
    waited_seconds: waited,
    requests_sent: sent.length,
    requests_unexpected: sent.filter(({ unexpected }) => unexpected !== null).length,
    places: kinds.map((kind) => ({
      kind,
      verdict: verdictOf(places.filter((place) => place.kind === kind)),
    })),
  };
}

const shown: Record<Verdict, () => string> = {
  clean: () => paint("green", "clean  "),
  found: () => paint(["red", "bold"], "FOUND  "),
  unknown: () => paint("yellow", "unknown"),
};

const summaries: Record<Verdict, string> = {
  clean: "No mark was found anywhere.",
  found: "Marks were found. What is marked FOUND holds text that was sent to this service.",
  unknown: "No mark was found, but not everything could be searched.",
};

function textOf(
  sent: number,
  unexpected: readonly { name: string; unexpected: string }[],
  places: readonly Place[],
  verdict: Verdict,
  isSigned: boolean,
): string {
  const lines = places.flatMap(({ name, verdict, detail, gaps }) => [
    `${shown[verdict]()}  ${name}: ${detail}`,
    ...gaps.map((gap) => `           not searched: ${gap}`),
  ]);
  const others = unexpected.map(({ name, unexpected }) => `           ${name}: ${unexpected}`);
  return [
    ...lines,
    "",
    `${sent} marked requests were sent.`,
    ...(others.length === 0 ? [] : ["These took another path than they should:", ...others]),
    summaries[verdict],
    isSigned
      ? "The result is signed and shown on the status page."
      : "The result is shown on the status page. It is not signed: the signing key is not available here.",
  ].join("\n");
}

function parseWait(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds <= mostWaitSeconds) return seconds;
  throw new InvalidArgumentError(`Write a whole number of seconds up to ${mostWaitSeconds}.`);
}
