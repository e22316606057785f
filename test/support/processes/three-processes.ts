/**
 * An installation past one machine, made of real parts: two replicas of the built program on a real Postgres and
 * a real Redis, and a third Sotto as their engine, which runs the embedded engine on tiny weights.
 */
import { type KeyLimits, noKeyLimits } from "../../../src/core/entities.js";
import type { KeyWithSecret } from "../../../src/protocol/dashboard/api.js";
import { question } from "../clients/chat.js";
import { eventually } from "../eventually.js";
import { Browser, password } from "./dashboard-server.js";
import { freePort } from "./free-port.js";
import { newDataDir, type SottoProcess, startSotto } from "./sotto-process.js";
import { startTinySotto } from "./tiny-sotto.js";
import { TestPostgres } from "../stores/postgres.js";
import { TestRedis } from "../stores/redis.js";
import { postChat } from "../clients/post-chat.js";

export interface Replica {
  process: SottoProcess;
  /** Starts it again on the same port and folder, after it has ended. */
  start(): Promise<void>;
  /** Lets half a minute pass for it. */
  leap(): Promise<void>;
}

export interface ThreeProcesses {
  postgres: TestPostgres;
  redis: TestRedis;
  engine: SottoProcess;
  replicas: readonly [Replica, Replica];
  /** Made by the dashboard of the first replica, where `ada` is signed in. */
  newKey(limits?: Partial<KeyLimits>): Promise<KeyWithSecret>;
  ada: Browser;
  stop(): Promise<void>;
}

/** Longer replies than any test waits for. */
const engineContextTokens = 32_768;
const roomy = {
  SOTTO_LIMIT_REQUESTS_PER_MINUTE: "1000000",
  SOTTO_LIMIT_TOKENS_PER_MINUTE: "1000000000",
  SOTTO_LIMIT_CONCURRENT_REQUESTS: "1000",
};

export async function startThreeProcesses(): Promise<ThreeProcesses> {
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  const opened = async <T>(opening: Promise<T>, close: (part: T) => Promise<unknown>): Promise<T> => {
    const part = await opening;
    closers.push(() => close(part));
    return part;
  };
  try {
    const [postgres, redis, engine] = await Promise.all([
      opened(TestPostgres.start(), (part) => part.dispose()),
      opened(TestRedis.start(), (part) => part.kill()),
      opened(startEngine(), (part) => part.stop()),
    ]);
    const env = {
      ...roomy,
      ...upstreamOf(engine.baseURL, (await keyMaker(await signUp(engine))()).secret),
      SOTTO_DATABASE_URL: postgres.url(await postgres.createDatabase()),
      SOTTO_REDIS_URL: redis.url,
    };
    const replicas = await Promise.all([
      opened(startReplica(env), ({ process }) => process.stop()),
      opened(startReplica(env), ({ process }) => process.stop()),
    ]);
    const ada = await signUp(replicas[0].process);
    return { postgres, redis, engine, replicas, ada, newKey: keyMaker(ada), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const startEngine = (): Promise<SottoProcess> =>
  startTinySotto(
    { ...roomy, SOTTO_ENGINE_SEQUENCES: "6", SOTTO_ENGINE_CONTEXT_TOKENS: String(engineContextTokens) },
    { contextTokens: engineContextTokens },
  );

function upstreamOf(url: string, key: string): Record<string, string> {
  const upstream = (name: string) =>
    JSON.stringify([{ url, profile: "openai", name, key, maxConcurrent: 6, acceptSharedCache: true }]);
  return {
    SOTTO_MODELS_OMEGA_UPSTREAMS: upstream("omega"),
    SOTTO_MODELS_PRISM_UPSTREAMS: upstream("prism"),
    SOTTO_MODELS_LAMBDA_UPSTREAMS: upstream("lambda"),
  };
}

async function startReplica(env: Record<string, string>): Promise<Replica> {
  const dataDir = newDataDir();
  const port = await freePort();
  const program = ["--import", "./test/support/inputs/leaping-clock.js", "dist/main.js", "serve"];
  const run = () => startSotto({ env: { ...env, SOTTO_PORT: String(port) }, dataDir, program });
  const replica = {
    process: await run(),
    start: async () => {
      replica.process = await run();
    },
    leap: async () => {
      const leaps = () => replica.process.output().split("leapt ").length;
      const before = leaps();
      replica.process.kill("SIGUSR2");
      await eventually(() => leaps() > before);
    },
  };
  return replica;
}

async function signUp({ url }: SottoProcess): Promise<Browser> {
  const visitor = new Browser(url);
  await visitor.post("/api/sign-up", { email: "ada@example.com", password });
  return visitor;
}

function keyMaker(visitor: Browser) {
  let keys = 0;
  return (limits: Partial<KeyLimits> = {}) => {
    keys += 1;
    const own = { ...noKeyLimits, ...limits };
    return visitor.post<KeyWithSecret>("/api/keys", {
      name: `key ${keys}`,
      models: null,
      expiresInDays: null,
      limits: own,
    });
  };
}

// --------------------------------------------------------------------------------------------- requests

/** The status of a request that costs the engine nothing and counts against the limits. */
export async function listModels({ process }: Replica, key: string): Promise<number> {
  const response = await fetch(`${process.baseURL}/models`, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
}

export async function ask(replica: Replica, key: string): Promise<number> {
  const response = await send(replica, key, { max_tokens: 4 });
  await response.arrayBuffer();
  return response.status;
}

/** A stream that is under way and does not end by itself for a long time. */
export const openStream = (replica: Replica, key: string, signal?: AbortSignal): Promise<Response> =>
  send(replica, key, { stream: true, max_tokens: engineContextTokens }, signal);

const send = ({ process }: Replica, key: string, changes: object, signal?: AbortSignal) =>
  postChat(process.url, key, { ...question, ...changes }, signal);
