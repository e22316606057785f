/** What each kind of engine reports that matters for the privacy of conversations, and what it means. */
import type { Connection } from "../connection.js";
import { refusesTools } from "../failures.js";
import type { EngineFacts } from "./facts.js";
import { isObject } from "../../../protocol/read-json.js";
import { listOf, parseJson, textOf } from "../json-value.js";
import type { ProfileName } from "../profiles.js";

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

interface PreflightTarget {
  connection: Connection;
  facts: EngineFacts;
}

export async function findingsFor(engine: PreflightTarget): Promise<Finding[]> {
  const { source } = engine.connection;
  return [...generalFindings(engine), ...(await checks[source.profile](engine))];
}

/** None where the condition does not hold. */
const finding =
  (severity: Finding["severity"]) =>
  (holds: boolean, text: string): Finding[] =>
    holds ? [{ severity, text }] : [];
const [possible, certain, exposes] = [finding("possible"), finding("certain"), finding("exposes")];
const unknown = (text: string): Finding => ({ severity: "possible", text });

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
    const version = textOf((await engine.connection.report("/version")).version);
    const isLoud = version !== undefined && isOlder(version, vllmQuiet);
    const isDeveloped = Object.keys(await engine.connection.report("/server_info")).length > 0;
    const model = engine.connection.source.name ?? engine.facts.models[0] ?? "";
    return [
      ...((await hasPrefixCache(engine)) ? saltFindings(engine, version, vllmSalts) : []),
      ...certain(
        isLoud,
        `vLLM ${version ?? ""} logs every prompt unless it was started with --disable-log-requests.`,
      ),
      ...certain(
        isDeveloped,
        "vLLM runs in development mode (VLLM_SERVER_DEV_MODE), which exposes its internals to callers.",
      ),
      ...possible(
        await toolsRefused(engine, "/v1/chat/completions", model),
        "vLLM was started without tools: requests with them are refused unless they name one. Start it with " +
          "--enable-auto-tool-choice and --tool-call-parser.",
      ),
      unknown(
        "vLLM reports usage statistics to its developers unless VLLM_NO_USAGE_STATS=1 or DO_NOT_TRACK=1 is set; it does not report whether it is.",
      ),
    ];
  },
  sglang: async (engine) => {
    const older = await engine.connection.report("/get_server_info");
    const info = Object.keys(older).length > 0 ? older : await engine.connection.report("/server_info");
    const storesCache = info.enable_lmcache === true || typeof info.hicache_storage_backend === "string";
    // Markup that it leaves in replies is only recognised in its most common form.
    const lacks = (name: string) => name in info && info[name] === null;
    return [
      ...(info.disable_radix_cache === true ? [] : saltFindings(engine, textOf(info.version), sglangSalts)),
      ...exposes(info.log_requests === true, "SGLang logs requests (--log-requests)."),
      ...["dump_requests_folder", "crash_dump_folder"].flatMap((name) => {
        const text = `SGLang writes requests to files (--${name.replaceAll("_", "-")}).`;
        return exposes((textOf(info[name]) ?? "") !== "", text);
      }),
      ...certain(
        storesCache,
        "SGLang stores its cache outside the process, where salts do not keep accounts apart.",
      ),
      ...possible(
        lacks("tool_call_parser"),
        "SGLang has no parser for tool calls: start it with --tool-call-parser.",
      ),
      ...possible(
        lacks("reasoning_parser"),
        "SGLang has no parser for reasoning: if its model reasons, start it with --reasoning-parser.",
      ),
    ];
  },
  "llama-server": async (engine) => [
    ...(await slotFindings(engine)),
    ...possible(
      await toolsRefused(engine, "/apply-template", ""),
      "llama-server was started without --jinja: requests with tools are refused.",
    ),
    ...certain(
      await savesSlots(engine),
      "llama-server writes the conversations of its slots to files for any caller (--slot-save-path).",
    ),
    unknown(
      "llama-server does not say how it was started: without --cache-ram 0 it keeps conversations in memory and " +
        "reuses them for any caller with the same prefix; --log-disable, and no --log-prompts-dir, keep them out of logs.",
    ),
  ],
  ollama: async ({ connection, facts }) => {
    const name = connection.source.name ?? facts.models[0] ?? "";
    return [
      unknown("Ollama logs prompts when OLLAMA_DEBUG is set; it does not report whether it is."),
      ...exposes(
        /[:-]cloud$/.test(name),
        `'${name}' does not run here: Ollama sends conversations to its developers' cloud.`,
      ),
      ...possible(
        facts.hasTools === false,
        `Ollama reports that '${name}' cannot call tools: requests with tools are refused.`,
      ),
    ];
  },
  openai: async ({ connection, facts }) => [
    unknown("Nothing is known about what this server logs or forwards."),
    ...possible(
      connection.source.vision === undefined && facts.hasVision === undefined,
      "This server does not report whether its model reads images, so it gets none: set it if it does (--vision, or vision: true).",
    ),
  ],
};

function generalFindings({ connection, facts }: PreflightTarget): Finding[] {
  const { source, profile, url } = connection;
  const isMissing =
    source.name !== undefined && facts.models.length > 0 && !facts.models.includes(source.name);
  return [
    ...certain(
      profile.cache.type === "none",
      `An engine of the kind '${profile.label}' shares its prompt cache between accounts, which was accepted.`,
    ),
    ...certain(
      source.allowPublic === true && url.protocol === "http:",
      `Conversations travel to ${url.host} without encryption: use https.`,
    ),
    ...possible(isMissing, `${url.host} has no model named '${source.name ?? ""}'.`),
    ...possible(
      source.contextTokens === undefined && facts.contextTokens === undefined,
      `${url.host} does not report its context length: set it (--context-tokens, or contextTokens), ` +
        `so that prompts that are too long are refused here and replies end where the context does.`,
    ),
  ];
}

function saltFindings(
  { connection: { source, profile } }: PreflightTarget,
  version: string | undefined,
  since: string,
): Finding[] {
  const { label } = profile;
  if (version === undefined) {
    return [
      unknown(`${label} does not report its version; it keeps accounts' caches apart from ${since} on.`),
    ];
  }
  const text = `${label} ${version} ignores the salt that keeps accounts' prompt caches apart; use ${since} or later, or switch its prefix cache off and accept a shared one.`;
  return finding(source.acceptSharedCache === true ? "certain" : "refuse")(isOlder(version, since), text);
}

/** vLLM's metrics carry its cache's settings as labels. Unless they say otherwise, it has one. */
async function hasPrefixCache({ connection }: PreflightTarget): Promise<boolean> {
  const metrics = await connection.optional("/metrics");
  return !/^vllm:cache_config_info\{[^}]*enable_prefix_caching="False"/m.test(metrics?.text ?? "");
}

/** `/slots` shows prompts where LLAMA_SERVER_SLOTS_DEBUG is set, and in old versions always, once there was one. */
async function slotFindings({ connection }: PreflightTarget): Promise<Finding[]> {
  const response = await connection.optional("/slots");
  if (response?.status !== 200) return [];
  const slots = listOf(parseJson(response.text)).filter(isObject);
  const showsPrompts = slots.some(({ prompt }) => typeof prompt === "string" && prompt !== "");
  const hadTask = slots.some(({ id_task: task }) => task !== undefined);
  return [
    ...certain(
      showsPrompts,
      "llama-server shows the prompts of its slots to anyone who requests /slots; start it with --no-slots.",
    ),
    ...possible(
      !showsPrompts && !hadTask,
      "llama-server may show prompts to anyone who requests /slots, which can only be checked once it has had one; " +
        "start it with --no-slots.",
    ),
  ];
}

/** Requested for a slot that cannot exist: 400 where slots can be saved at all, and 501 where not. */
async function savesSlots({ connection }: PreflightTarget): Promise<boolean> {
  const response = await connection.optional("/slots/none?action=none", { body: {} });
  return response?.status === 400;
}

/**
 * Whether the engine was started without tools, known from how it refuses a request with one. Nothing is generated:
 * vLLM checks this before the messages, of which there are none, and llama-server only renders.
 */
async function toolsRefused({ connection }: PreflightTarget, path: string, model: string): Promise<boolean> {
  const body = { model, messages: [], tools: [probeTool], tool_choice: "auto", max_tokens: 1 };
  const response = await connection.optional(path, { body });
  return response !== null && refusesTools({ status: response.status, body: response.text });
}

const probeTool = {
  type: "function",
  function: { name: "probe", description: "", parameters: { type: "object", properties: {} } },
};

/** Whether a version as engines write it (`0.10.1.dev3+gabc`, `v0.5.9`) comes before another. Unknown forms do not. */
function isOlder(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  if (a === null || b === null) return false;
  const differs = a.findIndex((number, index) => number !== b[index]);
  return differs >= 0 && (a[differs] ?? 0) < (b[differs] ?? 0);
}

function numbersOf(version: string): number[] | null {
  const [, major, minor, patch = "0"] = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  return major === undefined ? null : [Number(major), Number(minor), Number(patch)];
}
