/** Engines on the network: checked for privacy before they are used, then connected. */
import type { Config } from "../config.js";
import { plainDefaults } from "../core/serving/model-defaults.js";
import type { Grammars } from "../engines/structured-output/grammars.js";
import type { MadeMember } from "../engines/pool/member.js";
import type { Log } from "../log.js";
import { WeightsError } from "../models/weights-error.js";
import { modelDefaults } from "../models/weights-settings.js";
import type { UpstreamSource } from "../protocol/engine-member.js";

interface UpstreamOptions {
  log: Log;
  grammars: Grammars;
  cacheSaltSecret: string;
  /** Of the server: each connects. */
  processes: number;
  onNotice: ((notice: string) => void) | undefined;
}

export class UpstreamMembers {
  /** Of the latest preflight, by the engine's address. */
  readonly #findings = new Map<string, string[]>();

  constructor(private readonly options: UpstreamOptions) {}

  findings(url: string): readonly string[] {
    return this.#findings.get(url) ?? [];
  }

  /** Reports what the preflight found and resolves with how to connect; rejects for an engine that must not be used. */
  async prepare(member: UpstreamSource, config: Config): Promise<() => MadeMember> {
    await this.#preflight(member, config);
    // Loaded here, since many installations have no engine on the network.
    const { UpstreamEngine } = await import("../engines/upstream/upstream-engine.js");
    const { host } = new URL(member.url);
    return () => {
      const { firstTokenTimeoutMs: firstTokenMs, nextTokenTimeoutMs: nextTokenMs } = config.engine;
      const timeouts = { firstTokenMs, nextTokenMs, ...member.timeouts };
      const { cacheSaltSecret, grammars, log, processes } = this.options;
      const models = modelDefaults(config.models, plainDefaults);
      const engine = new UpstreamEngine(
        { ...member, timeouts, models, cacheSaltSecret, processes },
        {
          grammars,
          onState: (state, cause) => {
            if (state === "ready") log.info("engine reachable", { engine: host });
            else log.warn("engine unreachable", { engine: host, cause });
          },
          onFailure: (cause) => log.warn("engine request failed", { engine: host, cause }),
        },
      );
      // A server may be started after this one: it is checked once, whatever the result.
      return { engine, waiting: () => engine.waiting(), ready: () => engine.checked() };
    };
  }

  async #preflight(member: UpstreamSource, { engine }: Config): Promise<void> {
    const { preflight } = await import("../engines/upstream/checks/preflight.js");
    const findings = await preflight(member, { strict: engine.strictPreflight });
    this.#findings.set(
      member.url,
      findings.map(({ text }) => text),
    );
    for (const { level, text } of findings) {
      if (level === "refuse") throw new WeightsError(text);
      this.options.onNotice?.(`${member.url}: ${text}`);
    }
  }
}
