/** `sotto serve`: the service in the foreground, until a signal stops it. */
import { basename } from "node:path";
import { startProgress } from "../../../bin/start-progress.js";
import { keepMemoryOutOfCoreDumps } from "../../adapters/memory-on-disk.js";
import { requireOpenFiles } from "../../adapters/open-files.js";
import type { App } from "../../app/app.js";
import { processCount } from "../../app/process-count.js";
import type { OwnProcess } from "../../app/process-link.js";
import type { Command } from "../command.js";
import { environmentOf, type Environment } from "../environment.js";
import { isForOperator } from "../operator-errors.js";
import { requireFreePort } from "../require-free-port.js";
import { endOnUnexpected, withoutMessage } from "./end-on-unexpected.js";
import { extensionNotice } from "./extension-notice.js";
import { starterNotice } from "./starter-notice.js";
import {
  exitOnSignal,
  ignoreSignals,
  listenToSignals,
  stopOnSignal,
  stoppingNotice,
} from "./stop-on-signal.js";
import { readSettings, settingsOptions } from "../settings.js";
import { paint, typed } from "../terminal.js";
import type { Config } from "../../config.js";
import { extensionFile } from "../../engines/llama/extension/extension-file.js";
import { firstRunKey } from "../../core/accounts/first-run.js";
import { systemClock } from "../../core/clock.js";
import { modelIds } from "../../core/models.js";
import { isAvailable } from "../../core/serving/engine-port.js";
import { ensureSetupLink } from "../../core/sign-in/one-time-links.js";
import { starterSize } from "../../models/starter/starter-size.js";

export function serveCommand(program: Command): void {
  const command = settingsOptions(program.command("serve"))
    .description("run the service")
    .option("--port <port>", "port to listen on (SOTTO_PORT, PORT; default 8080)")
    .option("--host <address>", "address to listen on (SOTTO_HOST; default 127.0.0.1)")
    .notes(
      `
Examples:
  sotto serve
  sotto serve --host 0.0.0.0 --port 80 --data-dir /var/lib/sotto

Every setting is in docs/configuration.md. SIGTERM or Ctrl-C lets running replies finish; a second one ends
immediately. SIGHUP reloads the models from the configuration file.`,
    )
    .action(async () => {
      const { port, host } = command.opts<{ port?: string; host?: string }>();
      const read = () => readSettings(command, { SOTTO_PORT: port, SOTTO_HOST: host });
      await serve(read, environmentOf(command));
    });
}

async function serve(readConfig: () => Config, env: Environment): Promise<void> {
  const stopListening = exitOnSignal();
  const config = readConfig();
  // Loading the rest of the program would fail without a hint of why.
  requireOpenFiles();
  keepMemoryOutOfCoreDumps();
  let started: App | null = null;
  const ownProcess = await openProcess(config, () => started?.abandon());
  if (ownProcess === undefined) {
    // Before the weights are prepared, which takes a while.
    await requireFreePort(config.service.host, config.service.port);
    const count = processCount(config);
    if (count > 1) return own(count, config, stopListening);
  } else {
    stopListening();
    ignoreSignals();
  }
  // Loaded here, since every other command starts faster without it.
  const [{ startApp }, { createLog }, { logOutput }] = await Promise.all([
    import("../../app/app.js"),
    import("../../log.js"),
    import("./log-lines.js"),
  ]);
  const progress = await startProgress(starterSize);
  const log = createLog(config.service.logLevel, logOutput(config.service.logFormat));
  endOnUnexpected(log, () => started?.abandon());
  const onNotice = (notice: string) => {
    if (ownProcess?.isFirst !== false) progress.notice(typed(notice));
  };
  const overrides = {
    log,
    typed,
    collectsWhenIdle: true,
    onWeightsProgress: progress.weights,
    onNotice,
    ownProcess,
  };
  try {
    started = await startApp(config, overrides);
  } catch (error) {
    ownProcess?.release();
    throw error;
  } finally {
    progress.stop();
  }
  stopListening();
  try {
    await (ownProcess === undefined
      ? run(started, config, readConfig, env)
      : runAsOneOfSeveral(started, ownProcess, config, readConfig, env));
  } catch (error) {
    throw withoutMessage(error, log);
  }
}

/** Undefined unless this process was started by another of this server. */
async function openProcess(config: Config, onOrphaned: () => void): Promise<OwnProcess | undefined> {
  const { processes } = config.service;
  if (typeof processes !== "number" || processes === 1) return undefined;
  const { openOwnProcess } = await import("../../app/process-link.js");
  return openOwnProcess(processes, onOrphaned);
}

/** Starts the processes that serve, and ends with them. */
async function own(count: number, config: Config, stopListening: () => void): Promise<void> {
  const [{ ProcessOwner }, { createLog }, { logOutput }] = await Promise.all([
    import("../../app/process-owner.js"),
    import("../../log.js"),
    import("./log-lines.js"),
  ]);
  const log = createLog(config.service.logLevel, logOutput(config.service.logFormat));
  let received = 0;
  const onSignal = () => {
    received += 1;
    // The others notice, and end as well.
    if (received > 1) process.exit(1);
    console.log(stoppingNotice);
    owner.stop();
  };
  const owner = new ProcessOwner({
    ...{ count, log, dataDir: config.service.dataDir },
    onStarted: () => {
      stopListening();
      listenToSignals(onSignal);
    },
  });
  process.on("SIGHUP", () => owner.reloadModels());
  process.exit(await owner.run());
}

/** The owner gets the signals and passes them on; the first process speaks for all of them. */
async function runAsOneOfSeveral(
  app: App,
  { link, count, isFirst }: OwnProcess,
  config: Config,
  readConfig: () => Config,
  env: Environment,
): Promise<void> {
  const stopped = stopOnSignal(
    app,
    config.limits.drainMs,
    () => undefined,
    (onSignal) => link.answer("stop", onSignal),
  );
  link.answer("reloadModels", () => reloadModels(app, readConfig));
  link.note("started");
  if (isFirst) {
    if (app.notice !== null) console.log(`\n${app.notice}`);
    console.log(`\nSotto is listening at ${app.url} with ${count} processes ...`);
    await Promise.race([app.ready().then(() => printFirstSteps(app, config, env)), stopped]);
  }
  await stopped;
  process.exit();
}

/** From the moment it listens until it is closed. */
async function run(app: App, config: Config, readConfig: () => Config, env: Environment): Promise<void> {
  const stopping = new AbortController();
  const stopped = stopOnSignal(app, config.limits.drainMs, () => stopping.abort());
  process.on("SIGHUP", () => reloadModels(app, readConfig));
  if (app.notice !== null) console.log(`\n${app.notice}`);
  console.log(`\nSotto is listening at ${app.url} and is loading its models ...`);
  try {
    await Promise.race([app.ready(), stopped]);
    if (!stopping.signal.aborted) await printFirstSteps(app, config, env);
  } catch (error) {
    // After a signal everything is closed in any case.
    if (!stopping.signal.aborted) {
      await app.close();
      const { explainUnavailable } = await import("../../store/open-store.js");
      throw await explainUnavailable(error, config);
    }
  }
  await stopped;
}

async function printFirstSteps(app: App, config: Config, env: Environment): Promise<void> {
  console.log(modelOverview(app));
  const suggestion = app.suggestion();
  if (suggestion !== null) {
    const notices = [starterNotice(suggestion), extensionNotice(config.engine, extensionFile(config), env)];
    console.log(typed(`${notices.filter((notice) => notice !== null).join("\n")}\n`));
  }
  const setupLink = await ensureSetupLink(app.store, systemClock, config.accounts.publicUrl ?? app.url);
  if (setupLink !== null) console.log(setupSteps(setupLink));
  const key = await firstRunKey(app.store, systemClock);
  if (key !== null) console.log(firstSteps(app.url, key));
}

/** Applies the models of the configuration file as it is now. A file with errors changes nothing. */
function reloadModels(app: App, readConfig: () => Config): void {
  try {
    void app.followModels(readConfig());
  } catch (error) {
    console.error(isForOperator(error) ? typed(error.message) : "The configuration cannot be read.");
  }
}

function modelOverview({ url, engine }: App): string {
  const lines = modelIds.map((model) => {
    const { state, serving, contextTokens, capacity } = engine.status(model);
    if (state === "off") return `  ${model.padEnd(7)} off`;
    if (state === "asleep") return `  ${model.padEnd(7)} ${basename(serving)}, loaded on demand`;
    if (!isAvailable({ state })) return `  ${model.padEnd(7)} ${basename(serving)}, not responding`;
    const context =
      contextTokens === 0 ? "context unknown (set contextTokens)" : `context ${contextTokens} tokens`;
    return `  ${model.padEnd(7)} ${basename(serving)}, ${context}, ${capacity} concurrent`;
  });
  return `\n${paint(["green", "bold"], "Ready.")} Models and what serves them:\n${lines.join("\n")}\n\nDashboard  ${paint("cyan", url)}\nAPI        ${paint("cyan", `${url}/v1`)}\n`;
}

function setupSteps(link: string): string {
  return `Create the admin account with this link, which works once, within a day:

  ${paint("cyan", link)}
`;
}

function firstSteps(url: string, key: string): string {
  const body = JSON.stringify({
    model: "omega",
    messages: [{ role: "user", content: "What is the capital of France?" }],
  });
  return `Your API key, shown only once:

  ${paint("bold", key)}

Try it:

  curl ${url}/v1/chat/completions \\
    -H "Authorization: Bearer ${key}" \\
    -H "Content-Type: application/json" \\
    -d '${body}'
`;
}
