/** What each kind of engine can be asked about the privacy of conversations, and what the answers mean. */
import type { Connection } from "../connection.js";
import type { EngineFacts } from "./facts.js";
import { isObject, listOf, objectOf, textOf, type JsonObject } from "../json-value.js";
import type { UpstreamSource } from "../options.js";
import type { Profile } from "../profiles.js";
import { toolsRefused } from "./tool-probe.js";
import { isOlder } from "./version.js";

export interface Finding {
  text: string;
  /** The engine says so itself, or cannot be otherwise. */
  certain: boolean;
  /** Also without strict mode. */
  refuses?: boolean;
  /** Requests are certainly logged, stored or passed on: refused unless the operator accepts that. */
  exposes?: boolean;
}

export interface Examined {
  source: UpstreamSource;
  profile: Profile;
  connection: Connection;
  facts: EngineFacts;
  timeoutMs: number;
}

export async function findingsFor(engine: Examined): Promise<Finding[]> {
  return [...generalFindings(engine), ...(await checks[engine.source.profile](engine))];
}

/** The first vLLM whose prompt cache keeps requests with different salts apart. */
const vllmSalts = "0.9.0";
/** The first vLLM that logs prompts only when asked to. */
const vllmQuiet = "0.10.1";
/**
 * SGLang took the field before, and dropped it on the way to its cache (sgl-project/sglang#23300, merged after
 * 0.5.10): a release that surely has the fix.
 */
const sglangSalts = "0.5.12";

const checks: Record<Profile["name"], (engine: Examined) => Promise<Finding[]>> = {
  vllm: async (engine) => {
    const version = textOf((await ask(engine, "/version")).version);
    const findings = (await hasPrefixCache(engine)) ? saltFindings(engine, version, vllmSalts) : [];
    if (version !== undefined && isOlder(version, vllmQuiet)) {
      findings.push(
        certainly(`vLLM ${version} logs every prompt unless it was started with --disable-log-requests.`),
      );
    }
    if (Object.keys(await ask(engine, "/server_info")).length > 0) {
      findings.push(
        certainly(
          "vLLM runs in development mode (VLLM_SERVER_DEV_MODE), which exposes its internals to callers.",
        ),
      );
    }
    findings.push(...(await vllmToolFindings(engine)));
    findings.push(
      possibly(
        "vLLM reports usage statistics to its developers unless VLLM_NO_USAGE_STATS=1 or DO_NOT_TRACK=1 is set; it does not say whether it is.",
      ),
    );
    return findings;
  },
  sglang: async (engine) => {
    const older = await ask(engine, "/get_server_info");
    const info = Object.keys(older).length > 0 ? older : await ask(engine, "/server_info");
    const findings: Finding[] = [];
    if (info.disable_radix_cache !== true) {
      findings.push(...saltFindings(engine, textOf(info.version), sglangSalts));
    }
    if (info.log_requests === true) findings.push(exposes("SGLang logs requests (--log-requests)."));
    for (const name of ["dump_requests_folder", "crash_dump_folder"]) {
      const folder = info[name];
      if (typeof folder === "string" && folder !== "") {
        findings.push(exposes(`SGLang writes requests to files (--${name.replaceAll("_", "-")}).`));
      }
    }
    if (info.enable_lmcache === true || typeof info.hicache_storage_backend === "string") {
      findings.push(
        certainly("SGLang stores its cache outside the process, where salts do not keep accounts apart."),
      );
    }
    return [...findings, ...sglangParserFindings(info)];
  },
  "llama-server": async (engine) => [
    ...(await slotFindings(engine)),
    ...(await jinjaFindings(engine)),
    ...((await savesSlots(engine))
      ? [
          certainly(
            "llama-server writes the conversations of its slots to files for whoever asks (--slot-save-path).",
          ),
        ]
      : []),
    possibly(
      "llama-server does not say how it was started: without --cache-ram 0 it keeps conversations in memory and " +
        "looks them up for whoever asks the same; --log-disable, and no --log-prompts-dir, keep them out of logs.",
    ),
  ],
  ollama: async ({ source, facts }) => {
    const name = source.name ?? facts.models[0] ?? "";
    const findings = [
      possibly("Ollama logs prompts when OLLAMA_DEBUG is set; it does not say whether it is."),
    ];
    if (/[:-]cloud$/.test(name)) {
      findings.push(
        exposes(`'${name}' does not run here: Ollama sends conversations to its developers' cloud.`),
      );
    }
    if (facts.hasTools === false) {
      findings.push(possibly(`'${name}' cannot call tools, says Ollama: requests with tools are refused.`));
    }
    return findings;
  },
  openai: async () => [possibly("Nothing is known about what this server logs or forwards.")],
};

function generalFindings({ source, profile, connection, facts }: Examined): Finding[] {
  const findings: Finding[] = [];
  const { url } = connection;
  if (profile.cache.type === "none") {
    findings.push(
      certainly(
        `An engine of the kind '${profile.label}' shares its prompt cache between accounts, which was accepted.`,
      ),
    );
  }
  if (source.allowPublic === true && url.protocol === "http:") {
    findings.push(certainly(`Conversations travel to ${url.host} without encryption: use https.`));
  }
  if (source.name !== undefined && facts.models.length > 0 && !facts.models.includes(source.name)) {
    findings.push(possibly(`${url.host} has no model named '${source.name}'.`));
  }
  if (source.contextTokens === undefined && facts.contextTokens === undefined) {
    findings.push(
      possibly(
        `${url.host} does not report its context length: set it (--context-tokens, or contextTokens), ` +
          `so that prompts that are too long are refused here and replies end where the context does.`,
      ),
    );
  }
  return findings;
}

function saltFindings({ source, profile }: Examined, version: string | undefined, since: string): Finding[] {
  const accepted = source.acceptSharedCache === true;
  if (version === undefined) {
    return [
      possibly(
        `${profile.label} does not report its version; it keeps accounts' caches apart from ${since} on.`,
      ),
    ];
  }
  if (!isOlder(version, since)) return [];
  const text = `${profile.label} ${version} ignores the salt that keeps accounts' prompt caches apart; use ${since} or later, or switch its prefix cache off and accept a shared one.`;
  return [{ text, certain: true, refuses: !accepted }];
}

/** vLLM's metrics carry its cache's settings as labels. Unless they say otherwise, it has one. */
async function hasPrefixCache({ connection, timeoutMs }: Examined): Promise<boolean> {
  const metrics = await connection.ask("/metrics", timeoutMs).catch(() => null);
  return !/^vllm:cache_config_info\{[^}]*enable_prefix_caching="False"/m.test(metrics?.text ?? "");
}

/** Its slots show prompts where LLAMA_SERVER_SLOTS_DEBUG is set, and old versions always do: from the first one on. */
async function slotFindings({ connection, timeoutMs }: Examined): Promise<Finding[]> {
  const answer = await connection.ask("/slots", timeoutMs).catch(() => null);
  if (answer?.status !== 200) return [];
  const slots = parseList(answer.text).filter(isObject);
  if (slots.some(({ prompt }) => typeof prompt === "string" && prompt !== "")) {
    return [
      certainly(
        "llama-server shows the prompts of its slots to whoever asks for /slots; start it with --no-slots.",
      ),
    ];
  }
  if (slots.some(({ id_task: task }) => task !== undefined)) return [];
  return [
    possibly(
      "llama-server may show prompts to whoever asks for /slots, which is seen once it has had one; " +
        "start it with --no-slots.",
    ),
  ];
}

/** Asked of a slot that cannot exist: where slots can be saved at all, that is the complaint, and 501 where not. */
async function savesSlots({ connection, timeoutMs }: Examined): Promise<boolean> {
  const answer = await connection.ask("/slots/none?action=none", timeoutMs, undefined, {}).catch(() => null);
  return answer?.status === 400;
}

async function vllmToolFindings({ source, facts, connection, timeoutMs }: Examined): Promise<Finding[]> {
  const model = source.name ?? facts.models[0] ?? "";
  if (!(await toolsRefused(connection, "/v1/chat/completions", model, timeoutMs))) return [];
  return [
    possibly(
      "vLLM was started without tools: requests with them are refused unless they name one. Start it with " +
        "--enable-auto-tool-choice and --tool-call-parser.",
    ),
  ];
}

/** It tells how it was started. What it leaves in the text of replies is only split off in its most usual form. */
function sglangParserFindings(info: JsonObject): Finding[] {
  const lacks = (name: string) => name in info && info[name] === null;
  return [
    ...(lacks("tool_call_parser")
      ? [possibly("SGLang has no parser for calls of tools: start it with --tool-call-parser.")]
      : []),
    ...(lacks("reasoning_parser")
      ? [
          possibly(
            "SGLang has no parser for thoughts; if its model thinks, start it with --reasoning-parser.",
          ),
        ]
      : []),
  ];
}

async function jinjaFindings({ connection, timeoutMs }: Examined): Promise<Finding[]> {
  if (!(await toolsRefused(connection, "/apply-template", "", timeoutMs))) return [];
  return [possibly("llama-server was started without --jinja: requests with tools are refused.")];
}

function parseList(text: string): readonly unknown[] {
  try {
    return listOf(JSON.parse(text));
  } catch {
    return [];
  }
}

const ask = async ({ connection, timeoutMs }: Examined, path: string): Promise<JsonObject> =>
  objectOf(await connection.askJson(path, timeoutMs).catch(() => undefined));

const certainly = (text: string): Finding => ({ text, certain: true });
const exposes = (text: string): Finding => ({ text, certain: true, exposes: true });
const possibly = (text: string): Finding => ({ text, certain: false });
