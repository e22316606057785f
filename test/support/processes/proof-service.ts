/** What a service proves, on a real SQLite and over real HTTP, with facts that a test can change. */
import { randomBytes } from "node:crypto";
import { fastify, type FastifyInstance } from "fastify";
import { forEachChatModel } from "../../../src/core/models.js";
import { rotateSigner, signerInForce } from "../../../src/core/proof/rotate-signer.js";
import { SealedSettings } from "../../../src/core/proof/sealed-settings.js";
import type { LogHead, StatementFacts } from "../../../src/core/proof/statement.js";
import { StatementLog, type HeadMemory, type Loss } from "../../../src/core/proof/statement-log.js";
import { Statements } from "../../../src/core/proof/statements.js";
import { proofRoutes } from "../../../src/http/proof/proof-routes.js";
import { proofPaths } from "../../../src/protocol/proof/proof-paths.js";
import type { Fetch } from "../../../src/protocol/proof/bounded-fetch.js";
import { FakeClock } from "../inputs/fake-clock.js";
import { openTemporaryStore, type TemporaryStore } from "../stores/temporary-store.js";

export type Facts = Omit<StatementFacts, "signing_key" | "hpke_key">;

const embedded = (name: string) => ({ runs: "embedded" as const, name, weights: "ab".repeat(32) });

export const firstFacts: Facts = {
  version: "1.0.0",
  commit: "1".repeat(40),
  program: "2".repeat(64),
  models: { ...forEachChatModel(() => [embedded("Tiny")]), iota: [] },
  switches: { tracing: "off", prefix_reuse: "on", item_memory: "on", log_level: "info", log_format: "json" },
  machine: { core_dumps: "off", swap: "off" },
  hardware_evidence: null,
};

export class ProofService {
  readonly clock = new FakeClock();
  /** Where the last head is remembered outside the database. */
  head: LogHead | null = null;
  readonly serviceKey = randomBytes(32);
  readonly #replicas: Replica[] = [];

  private constructor(readonly temporary: TemporaryStore) {}

  static async open(): Promise<ProofService> {
    return new ProofService(await openTemporaryStore());
  }

  get sealed(): SealedSettings {
    return new SealedSettings(this.temporary.store, this.serviceKey);
  }

  /** One more server on the same database, which has looked once. */
  async replica(facts: Facts = firstFacts, memory: HeadMemory = this.#memory()): Promise<Replica> {
    const replica = await Replica.start(this, facts, memory);
    this.#replicas.push(replica);
    return replica;
  }

  /** As the command does, in a process of its own. */
  rotate(): ReturnType<typeof rotateSigner> {
    const log = new StatementLog(this.temporary.store.statementLog, this.#memory(), this.clock);
    return rotateSigner(this.sealed, log, this.clock);
  }

  async close(): Promise<void> {
    for (const replica of this.#replicas) await replica.close();
    await this.temporary.dispose();
  }

  #memory(): HeadMemory {
    return { read: () => this.head, write: (head) => void (this.head = head) };
  }
}

export class Replica {
  readonly losses: Loss[] = [];
  hpkeKey: string | null = null;
  /** Other than the statement's, as whoever is in between would serve it. */
  servedKey: string | null | undefined;
  readonly statements: Statements;
  readonly #http: FastifyInstance = fastify();
  url = "";

  private constructor(
    service: ProofService,
    public facts: Facts,
    memory: HeadMemory,
  ) {
    const { clock, sealed, temporary } = service;
    this.statements = new Statements({
      log: new StatementLog(temporary.store.statementLog, memory, clock),
      clock,
      facts: async () => this.facts,
      hpkeKey: () => this.hpkeKey,
      signer: (inForce) => signerInForce(sealed, inForce),
      onLoss: (loss) => this.losses.push(loss),
      onError: (error) => {
        throw error;
      },
    });
  }

  static async start(service: ProofService, facts: Facts, memory: HeadMemory): Promise<Replica> {
    const replica = new Replica(service, facts, memory);
    const app = replica.#http;
    for (const route of proofRoutes({ statements: () => replica.statements })) app.route(route);
    app.get(proofPaths.hpkeKeys, async (_request, reply) => {
      const key = replica.servedKey === undefined ? replica.hpkeKey : replica.servedKey;
      if (key === null) return reply.code(404).send({});
      reply.header("content-type", "application/ohttp-keys");
      const suite = Buffer.from("000400010002", "hex");
      return Buffer.concat([Buffer.from([1, 0, 0x20]), Buffer.from(key, "hex"), suite]);
    });
    replica.url = await app.listen({ host: "127.0.0.1", port: 0 });
    await replica.statements.look();
    return replica;
  }

  async close(): Promise<void> {
    await this.statements.close();
    await this.#http.close();
  }
}

/** Changes the JSON that is answered at a path. */
export const tampered =
  (path: string, change: (body: unknown) => unknown): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (new URL(url).pathname !== path) return response;
    return Response.json(change(await response.json()));
  };
