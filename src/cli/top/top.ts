/**
 * `sotto top`: what a running server does, each second. It reads the server's own metrics, with a token that it finds
 * in the database: whoever may run the other commands may see them, and nobody else.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { operatorTokenSetting } from "../../core/admin/operator-token.js";
import { UserError } from "../../core/user-error.js";
import { formatBytes } from "../../models/sizes.js";
import { noServerAt, originOf } from "../origin.js";
import { report, table } from "../output.js";
import { storeCommand, withStore } from "../store-command.js";
import { paint } from "../terminal.js";
import { type Overview, overviewOf, read, type Reading, Refused } from "./reading.js";

const everyMs = 1_000;
/** Another screen, without a cursor, so that what was there before comes back. */
const enterScreen = "\u001b[?1049h\u001b[?25l";
const leaveScreen = "\u001b[?25h\u001b[?1049l";

export function topCommand(program: Command): void {
  storeCommand(program, "top", "watch a running server: requests, queue, tokens per second, memory, engines")
    .option("--url <url>", "where the server is (default: SOTTO_PUBLIC_URL, or this machine)")
    .option("--once", "print one second of it and end, as where there is no terminal")
    .notes(
      `
Examples:
  sotto top                            refreshed each second; q or Ctrl-C ends it
  sotto top --once --json              for programs

Run it where the server's settings and data directory are, as the other commands.`,
    )
    .action(async (options: { url?: string; once?: boolean; json?: boolean }, command: Command) => {
      const origin = originOf(options.url, command);
      const token = await withStore(command, ({ store }) => store.getSetting(operatorTokenSetting));
      if (token === null)
        throw new UserError("No server has run on this data directory yet. Start one: sotto serve");
      const isLive = options.once !== true && options.json !== true && process.stdout.isTTY;
      if (isLive) await watch(origin, token);
      else await printOnce(command, origin, token);
    });
}

async function printOnce(command: Command, origin: string, token: string): Promise<void> {
  const { signal } = new AbortController();
  const before = await readFrom(origin, token, signal);
  await sleep(everyMs);
  const overview = overviewOf(before, await readFrom(origin, token, signal));
  report(command, toJson(overview), screen(origin, overview));
}

/** Until q or Ctrl-C. A server that does not answer for a while is waited for. */
async function watch(origin: string, token: string): Promise<void> {
  const { stdin, stdout } = process;
  let before = await readFrom(origin, token, new AbortController().signal);
  const leaving = new AbortController();
  const { signal } = leaving;
  const leave = () => leaving.abort();
  const onKey = (key: Buffer) => {
    // In raw mode Ctrl-C and Ctrl-D are keys like others.
    if (["q", "Q", "\u0003", "\u0004"].includes(key.toString())) leave();
  };
  process.once("SIGTERM", leave).once("SIGINT", leave);
  if (stdin.isTTY) stdin.setRawMode(true).on("data", onKey).resume();
  stdout.write(enterScreen);
  try {
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal });
      let text: string;
      try {
        const now = await readFrom(origin, token, signal);
        text = screen(origin, overviewOf(before, now));
        before = now;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        text = `${paint("bold", origin)}\n\n${paint("red", error.message)}\nWaiting for it ...`;
      }
      const lines = `${text}\n\n${paint("dim", "q ends it")}`.split("\n").slice(0, stdout.rows - 1);
      // Each line is cleared to its end as it is written, and then what is below: nothing flickers.
      stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K\n`).join("")}\u001b[J`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stdout.write(leaveScreen);
    if (stdin.isTTY) stdin.setRawMode(false).off("data", onKey).pause();
    process.off("SIGTERM", leave).off("SIGINT", leave);
  }
}

async function readFrom(origin: string, token: string, signal: AbortSignal): Promise<Reading> {
  try {
    return await read(origin, token, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof Refused && error.status === 404)
      throw new UserError(
        `${origin} is not the server of this data directory: it does not know this command's token.`,
      );
    if (error instanceof Refused) throw new UserError(`${origin} answered ${error.status}.`);
    throw noServerAt(origin);
  }
}

function screen(origin: string, overview: Overview): string {
  const { running, waiting } = overview;
  const troubles = [
    overview.rateLimitedPerSecond > 0
      ? paint("yellow", `${perSecond(overview.rateLimitedPerSecond)} rate-limited`)
      : "",
    overview.errorsPerSecond > 0 ? paint("red", `${perSecond(overview.errorsPerSecond)} errors`) : "",
  ].filter((text) => text !== "");
  const rows = overview.engines.map((engine) => [
    engine.models,
    engine.state,
    `${engine.running}/${engine.capacity}`,
    String(engine.waiting),
    engine.tokensPerSecond.toFixed(1),
    engine.memoryBytes === 0 ? "-" : formatBytes(engine.memoryBytes),
    String(engine.restarts),
  ]);
  return [
    `${paint("bold", origin)}  ${paint("dim", new Date().toTimeString().slice(0, 8))}`,
    "",
    `Requests  ${[perSecond(overview.requestsPerSecond), ...troubles].join(", ")}; ${running} running`,
    `Queue     ${waiting === 0 ? "0" : paint("yellow", String(waiting))} waiting`,
    `Tokens    ${perSecond(overview.tokensPerSecond)} generated`,
    `Memory    ${formatBytes(overview.engineMemoryBytes)} engines, ${formatBytes(overview.serverMemoryBytes)} server`,
    "",
    table(["models", "state", "running", "waiting", "tokens/s", "memory", "restarts"], rows),
  ].join("\n");
}

const perSecond = (rate: number): string => `${rate.toFixed(1)}/s`;

/** As the API writes names: `tokens_per_second`. */
const toJson = ({ engines, ...overview }: Overview) => ({
  ...snakeCase(overview),
  engines: engines.map(({ models, ...engine }) => ({ models: models.split(", "), ...snakeCase(engine) })),
});

const snakeCase = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
      value,
    ]),
  );
