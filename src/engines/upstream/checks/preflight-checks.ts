/** What each kind of engine reports that matters for the privacy of conversations, and what it means. */
import type { UpstreamSource } from "../../../protocol/engine-member.js";
import type { Connection } from "../connection.js";
import { refusesTools } from "../failures.js";
import type { EngineFacts } from "./facts.js";
import { isObject, type JsonObject } from "../../../protocol/read-json.js";
import { listOf, objectOf, textOf } from "../json-value.js";
import type { Profile, ProfileName } from "../profiles.js";

export interface Finding {
  text: string;
  severity:
    /** Cannot be known from outside. */
    | "possible"
    /** The engine says so itself, or cannot be otherwise: refused in strict mode. */
    | "certain"
    /** Requests are certainly logged, stored or passed on: refused unless the operator accepts that. */
    | "exposes"
    | "refuse";
}

export interface PreflightTarget {
  source: UpstreamSource;
  profile: Profile;
  connection: Connection;
  facts: EngineFacts;
  timeoutMs: number;
}

export async function findingsFor(engine: PreflightTarget): Promise<Finding[]> {
  return [...generalFindings(engine), ...(await checks[engine.source.profile](engine))];
}

/**
 * The first vLLM whose prompt cache keeps requests with different salts apart: 0.9 does for conversations, but ignores
 * the salt of `/v1/completions` (vllm-project/vllm#20981).
 */
const vllmSalts = "0.10.0";
/** The first vLLM that logs prompts only when asked to. */
const vllmQuiet = "0.10.1";
/**
 * SGLang took the field before, and dropped it on the way to its cache (sgl-project/sglang#23300, merged after
 * 0.5.10): a release that surely has the fix.
 */
const sglangSalts = "0.5.12";

const checks: Record<ProfileName, (engine: PreflightTarget) => Promise<Finding[]>> = {
  vllm: async (engine) => {
    const version = textOf((await reported(engine, "/version")).version);
    const findings = (await hasPrefixCache(engine)) ? saltFindings(engine, version, vllmSalts) : [];
    if (version !== undefined && isOlder(version, vllmQuiet)) {
      findings.push(
        certainly(`vLLM ${version} logs every prompt unless it was started with --disable-log-requests.`),
      );
    }
    if (Object.keys(await reported(engine, "/server_info")).length > 0) {
      findings.push(
        certainly(
          "vLLM runs in development mode (VLLM_SERVER_DEV_MODE), which exposes its internals to callers.",
        ),
      );
    }
    findings.push(...(await vllmToolFindings(engine)));
    findings.push(
      possibly(
        "vLLM reports usage statistics to its developers unless VLLM_NO_USAGE_STATS=1 or DO_NOT_TRACK=1 is set; it does not report whether it is.",
      ),
    );
    return findings;
  },
  sglang: async (engine) => {
    const older = await reported(engine, "/get_server_info");
    const info = Object.keys(older).length > 0 ? older : await reported(engine, "/server_info");
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
            "llama-server writes the conversations of its slots to files for any caller (--slot-save-path).",
          ),
        ]
      : []),
    possibly(
      "llama-server does not say how it was started: without --cache-ram 0 it keeps conversations in memory and " +
        "reuses them for any caller with the same prefix; --log-disable, and no --log-prompts-dir, keep them out of logs.",
    ),
  ],
  ollama: async ({ source, facts }) => {
    const name = source.name ?? facts.models[0] ?? "";
    const findings = [
      possibly("Ollama logs prompts when OLLAMA_DEBUG is set; it does not report whether it is."),
    ];
    if (/[:-]cloud$/.test(name)) {
      findings.push(
        exposes(`'${name}' does not run here: Ollama sends conversations to its developers' cloud.`),
      );
    }
    if (facts.hasTools === false) {
      findings.push(
        possibly(`Ollama reports that '${name}' cannot call tools: requests with tools are refused.`),
      );
    }
    return findings;
  },
  openai: async ({ source, facts }) => [
    possibly("Nothing is known about what this server logs or forwards."),
    ...(source.vision === undefined && facts.hasVision === undefined
      ? [
          possibly(
            "This server does not report whether its model reads images, so it gets none: set it if it does (--vision, or vision: true).",
          ),
        ]
      : []),
  ],
};

function generalFindings({ source, profile, connection, facts }: PreflightTarget): Finding[] {
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

function saltFindings(
  { source, profile }: PreflightTarget,
  version: string | undefined,
  since: string,
): Finding[] {
  if (version === undefined) {
    return [
      possibly(
        `${profile.label} does not report its version; it keeps accounts' caches apart from ${since} on.`,
      ),
    ];
  }
  if (!isOlder(version, since)) return [];
  const text = `${profile.label} ${version} ignores the salt that keeps accounts' prompt caches apart; use ${since} or later, or switch its prefix cache off and accept a shared one.`;
  return [{ text, severity: source.acceptSharedCache === true ? "certain" : "refuse" }];
}

/** vLLM's metrics carry its cache's settings as labels. Unless they say otherwise, it has one. */
async function hasPrefixCache({ connection, timeoutMs }: PreflightTarget): Promise<boolean> {
  const metrics = await connection.request("/metrics", timeoutMs).catch(() => null);
  return !/^vllm:cache_config_info\{[^}]*enable_prefix_caching="False"/m.test(metrics?.text ?? "");
}

/** `/slots` shows prompts where LLAMA_SERVER_SLOTS_DEBUG is set, and in old versions always, once there was one. */
async function slotFindings({ connection, timeoutMs }: PreflightTarget): Promise<Finding[]> {
  const response = await connection.request("/slots", timeoutMs).catch(() => null);
  if (response?.status !== 200) return [];
  const slots = parseList(response.text).filter(isObject);
  if (slots.some(({ prompt }) => typeof prompt === "string" && prompt !== "")) {
    return [
      certainly(
        "llama-server shows the prompts of its slots to anyone who requests /slots; start it with --no-slots.",
      ),
    ];
  }
  if (slots.some(({ id_task: task }) => task !== undefined)) return [];
  return [
    possibly(
      "llama-server may show prompts to anyone who requests /slots, which can only be checked once it has had one; " +
        "start it with --no-slots.",
    ),
  ];
}

/** Requested for a slot that cannot exist: 400 where slots can be saved at all, and 501 where not. */
async function savesSlots({ connection, timeoutMs }: PreflightTarget): Promise<boolean> {
  const response = await connection
    .request("/slots/none?action=none", timeoutMs, { body: {} })
    .catch(() => null);
  return response?.status === 400;
}

async function vllmToolFindings(engine: PreflightTarget): Promise<Finding[]> {
  const model = engine.source.name ?? engine.facts.models[0] ?? "";
  if (!(await toolsRefused(engine, "/v1/chat/completions", model))) return [];
  return [
    possibly(
      "vLLM was started without tools: requests with them are refused unless they name one. Start it with " +
        "--enable-auto-tool-choice and --tool-call-parser.",
    ),
  ];
}

/** It reports how it was started. Markup that it leaves in replies is only recognised in its most common form. */
function sglangParserFindings(info: JsonObject): Finding[] {
  const lacks = (name: string) => name in info && info[name] === null;
  return [
    ...(lacks("tool_call_parser")
      ? [possibly("SGLang has no parser for tool calls: start it with --tool-call-parser.")]
      : []),
    ...(lacks("reasoning_parser")
      ? [
          possibly(
            "SGLang has no parser for reasoning: if its model reasons, start it with --reasoning-parser.",
          ),
        ]
      : []),
  ];
}

async function jinjaFindings(engine: PreflightTarget): Promise<Finding[]> {
  if (!(await toolsRefused(engine, "/apply-template", ""))) return [];
  return [possibly("llama-server was started without --jinja: requests with tools are refused.")];
}

/**
 * Whether the engine was started without tools, known from how it refuses a request with one. Nothing is generated:
 * vLLM checks this before the messages, of which there are none, and llama-server only renders.
 */
async function toolsRefused(
  { connection, timeoutMs }: PreflightTarget,
  path: string,
  model: string,
): Promise<boolean> {
  const body = { model, messages: [], tools: [probeTool], tool_choice: "auto", max_tokens: 1 };
  const response = await connection.request(path, timeoutMs, { body }).catch(() => null);
  return response !== null && refusesTools({ status: response.status, body: response.text });
}

const probeTool = {
  type: "function",
  function: { name: "probe", description: "", parameters: { type: "object", properties: {} } },
};

function parseList(text: string): readonly unknown[] {
  try {
    return listOf(JSON.parse(text));
  } catch {
    return [];
  }
}

const reported = async ({ connection, timeoutMs }: PreflightTarget, path: string): Promise<JsonObject> =>
  objectOf(await connection.requestJson(path, timeoutMs).catch(() => undefined));

const certainly = (text: string): Finding => ({ text, severity: "certain" });
const exposes = (text: string): Finding => ({ text, severity: "exposes" });
const possibly = (text: string): Finding => ({ text, severity: "possible" });

/** Whether a version as engines write it (`0.10.1.dev3+gabc`, `v0.5.9`) comes before another. Unknown forms do not. */
function isOlder(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  if (a === null || b === null) return false;
  for (let index = 0; index < 3; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbersOf(version: string): number[] | null {
  const [, major, minor, patch = "0"] = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  return major === undefined ? null : [Number(major), Number(minor), Number(patch)];
}
