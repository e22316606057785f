/**
 * One child process of the engine, from its start to its exit. Whatever goes wrong with it ends in its exit,
 * which is reported exactly once: a load that fails or takes too long, silence, a crash.
 */
import { fork, type ChildProcess } from "node:child_process";
import type { FromWorker, LoadedFacts, LoadRequest, ToWorker } from "../messages.js";
import type { Timing } from "./timing.js";
import { Watchdog } from "./watchdog.js";

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  workerFile: string;
  env: NodeJS.ProcessEnv;
  load: LoadRequest;
  loadTimeoutMs: number;
  timing: Timing;
}

export interface ChildHandlers {
  onLoaded: (facts: LoadedFacts) => void;
  /** The exit follows. */
  onLoadFailed: (reason: string) => void;
  onMessage: (message: Extract<FromWorker, { type: "prepared" | "step" }>) => void;
  onExit: (exit: ChildExit) => void;
}

export class EngineChild {
  readonly #process: ChildProcess;
  readonly #loadTimer: NodeJS.Timeout;
  readonly #exited: Promise<void>;
  #watchdog: Watchdog | undefined;

  constructor(
    private readonly options: ChildOptions,
    private readonly handlers: ChildHandlers,
  ) {
    this.#process = fork(options.workerFile, {
      serialization: "advanced",
      // Native code prints what it likes, and conversations pass through it: nothing of it is kept.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: options.env,
      // Only a worker run from its TypeScript source needs this process's loaders.
      execArgv: options.workerFile.endsWith(".ts") ? process.execArgv : [],
    });
    this.#loadTimer = setTimeout(() => {
      handlers.onLoadFailed(`Loading took longer than ${options.loadTimeoutMs} ms.`);
      this.kill();
    }, options.loadTimeoutMs);
    this.#exited = new Promise((resolve) => {
      const exit = (code: number | null, signal: NodeJS.Signals | null) => {
        clearTimeout(this.#loadTimer);
        this.#watchdog?.stop();
        this.#process.removeAllListeners();
        // Writing to a child that just died reports it once more, as an error nobody waits for.
        this.#process.on("error", () => undefined);
        resolve();
        handlers.onExit({ code, signal });
      };
      this.#process.once("exit", exit);
      this.#process.once("error", () => {
        exit(null, null);
      });
    });
    this.#process.on("message", (message: FromWorker) => {
      this.#receive(message);
    });
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

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  async close(): Promise<void> {
    this.send({ type: "close" });
    const timer = setTimeout(() => {
      this.kill();
    }, this.options.timing.closeMs);
    await this.#exited;
    clearTimeout(timer);
  }

  #receive(message: FromWorker): void {
    this.#watchdog?.heard();
    switch (message.type) {
      case "loaded":
        clearTimeout(this.#loadTimer);
        this.#watchdog = new Watchdog({
          ...this.options.timing,
          ping: () => {
            this.send({ type: "ping" });
          },
          onSilent: () => {
            this.kill();
          },
        });
        this.handlers.onLoaded(message.facts);
        return;
      case "load_failed":
        this.handlers.onLoadFailed(message.reason);
        return;
      case "pong":
        return;
      case "step":
        for (const { id } of message.report.endings) this.#watchdog?.ended(id);
        this.handlers.onMessage(message);
        return;
      case "prepared":
        this.handlers.onMessage(message);
        return;
    }
  }
}
