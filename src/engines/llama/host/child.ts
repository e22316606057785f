/**
 * One child process of the engine, from its start to its exit. Whatever goes wrong with it ends in its exit,
 * which is reported exactly once: a load that fails or takes too long, silence, a crash.
 */
import { fork, type ChildProcess } from "node:child_process";
import { describeExit, type ChildExit, type ExitCause } from "./engine-causes.js";
import type { FromWorker, LoadedFacts, LoadRequest, ToWorker } from "../messages.js";
import { StartupOutput } from "./startup-output.js";
import type { Timing } from "./timing.js";
import { Watchdog } from "./watchdog.js";

export interface ChildOptions {
  workerFile: string;
  env: NodeJS.ProcessEnv;
  load: LoadRequest;
  loadTimeoutMs: number;
  timing: Timing;
}

export interface ChildHandlers {
  onLoaded: (facts: LoadedFacts) => void;
  /** Called at most once, before the exit. */
  onLoadFailed: (reason: string) => void;
  onMessage: (message: Extract<FromWorker, { type: "prepared" | "step" | "kept" }>) => void;
  onExit: (exit: ChildExit) => void;
}

export class EngineChild {
  readonly #process: ChildProcess;
  readonly #loadTimer: NodeJS.Timeout;
  readonly #exited: Promise<void>;
  readonly #output: StartupOutput;
  #watchdog: Watchdog | undefined;
  #killedFor: ExitCause | undefined;
  #isClosing = false;
  #hasFailed = false;

  constructor(
    private readonly options: ChildOptions,
    private readonly handlers: ChildHandlers,
  ) {
    this.#process = fork(options.workerFile, {
      serialization: "advanced",
      // Standard error is read until the model has loaded, and closed then: see startup-output.ts.
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: options.env,
      // Only a worker run from its TypeScript source needs this process's loaders.
      execArgv: options.workerFile.endsWith(".ts") ? process.execArgv : [],
    });
    const { stderr } = this.#process;
    this.#output = new StartupOutput(stderr);
    this.#loadTimer = setTimeout(() => {
      this.#loadFailed(`Loading took longer than ${options.loadTimeoutMs} ms.`);
      this.#kill("LOAD_TIMED_OUT");
    }, options.loadTimeoutMs);
    this.#exited = new Promise((resolve) => {
      const exited = (exit: ChildExit) => {
        clearTimeout(this.#loadTimer);
        this.#watchdog?.stop();
        this.#process.removeAllListeners();
        // Writing to a child that just died reports it once more, as an error nobody waits for.
        this.#process.on("error", () => undefined);
        void this.#reportExit(exit).then(resolve);
      };
      this.#process.once("exit", (code, signal) =>
        exited({ code, signal, cause: this.#causeOf(code, signal) }),
      );
      this.#process.once("error", (error) => exited({ code: null, signal: null, cause: errnoOf(error) }));
    });
    this.#process.on("message", (message: FromWorker) => this.#receive(message));
    this.send({ type: "load", request: options.load });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  send(message: ToWorker): void {
    // A message that cannot be delivered needs no care of its own: the exit is on its way.
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  /** The ending of this generation must be reported soon. */
  abort(id: number): void {
    this.#watchdog?.expectEnding(id);
    this.send({ type: "abort", id });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.send({ type: "close" });
    const timer = setTimeout(() => this.#kill("CLOSE_TIMED_OUT"), this.options.timing.closeMs);
    await this.#exited;
    clearTimeout(timer);
  }

  #kill(cause: ExitCause): void {
    this.#killedFor ??= cause;
    this.#process.kill("SIGKILL");
  }

  #causeOf(code: number | null, signal: NodeJS.Signals | null): ExitCause {
    if (this.#killedFor !== undefined && signal === "SIGKILL") return this.#killedFor;
    if (this.#isClosing) return "CLOSED";
    if (signal === "SIGKILL") return "KILLED_BY_SYSTEM";
    return signal === null && code !== null ? "EXITED" : "CRASHED";
  }

  #loadFailed(reason: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.handlers.onLoadFailed(reason);
  }

  /** One that ended while it loaded is explained by what it printed. */
  async #reportExit(exit: ChildExit): Promise<void> {
    if (!this.#output.isClosed) {
      await this.#output.untilRead();
      const printed = this.#output.explanation;
      const reason = `${printed === null ? "" : `${printed}; `}${describeExit(exit)}`;
      if (!this.#isClosing) this.#loadFailed(reason);
      this.#output.close();
    }
    this.handlers.onExit(exit);
  }

  #receive(message: FromWorker): void {
    this.#watchdog?.heard();
    if (message.type === "pong") return;
    if (message.type === "load_failed") {
      this.#loadFailed(message.reason);
      return;
    }
    if (message.type === "loaded") {
      clearTimeout(this.#loadTimer);
      this.#output.close();
      this.#watchdog = new Watchdog({
        ...this.options.timing,
        ping: () => this.send({ type: "ping" }),
        onSilent: () => this.#kill("UNRESPONSIVE"),
      });
      this.handlers.onLoaded(message.facts);
      return;
    }
    if (message.type === "step") for (const { id } of message.report.endings) this.#watchdog?.ended(id);
    this.handlers.onMessage(message);
  }
}

const errnoOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : "NOT_STARTED";
