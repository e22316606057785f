import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isDeep } from "../support/depth.js";
import {
  ownStores,
  sharedStores,
  startInstallation,
  type Installation,
  type Stores,
} from "./installation.js";
import { readEverything, readRoutes, reads } from "./dashboard-reads.js";
import { dashboardWays } from "./dashboard-ways.js";
import { findCanary, newCanary, SearchedFiles } from "./search.js";
import { continued, interruptedCompletions, refusedCompletions } from "./completion-ways.js";
import { images, refusedImages } from "./image-ways.js";
import { answeredMessages, interruptedMessages, refusedMessages } from "./message-ways.js";
import { interruptedOllama, ollamaWays, refusedOllama } from "./ollama-ways.js";
import { interruptedResponses, refusedResponses, responses } from "./response-ways.js";
import { interruptedTasks, refusedTasks, tasks } from "./task-ways.js";
import { calls, interruptedCalls, refusedTools } from "./tool-ways.js";
import { answered, interrupted, refused } from "./ways.js";

const allWays = {
  ...dashboardWays,
  ...answered,
  ...calls,
  ...responses,
  ...answeredMessages,
  ...tasks,
  ...continued,
  ...images,
  ...refusedImages,
  ...ollamaWays,
  ...refused,
  ...refusedTasks,
  ...refusedTools,
  ...refusedResponses,
  ...refusedMessages,
  ...interruptedTasks,
  ...refusedCompletions,
  ...interruptedCompletions,
  ...refusedOllama,
  ...interruptedCalls,
  ...interruptedMessages,
  ...interruptedOllama,
  ...interrupted,
  ...interruptedResponses,
};

/** One of each class: replies and streams, refusals, disconnects, crashes, each API, and dashboard requests. */
const sample: ReadonlySet<string> = new Set([
  "a reply that says it",
  "a stream that says it, with log probabilities",
  "a streamed call that says it, in our format",
  "the playground",
  "malformed JSON",
  "a wrong role",
  "a schema that cannot be followed",
  "a hang-up in the middle",
  "an engine that is killed while it says it",
  "a streamed message that calls a tool with it",
  "a wrong key for a message",
  "a hang-up in the middle of a message",
  "a streamed response that says it, with log probabilities",
  "a response with an unknown part",
  "a streamed text completion, with log probabilities",
  "an image larger than a text may be",
  "a streamed chat over Ollama's API that says it",
  "a conversation that is compacted, and its summary",
  "a search among accounts, as the palette does it",
  "embeddings whose client hung up",
]);
const ways = Object.entries(allWays).filter(([name]) => isDeep || sample.has(name));

const installations: Record<string, () => Promise<Stores>> = {
  "SQLite and counters in memory": ownStores,
  ...(isDeep ? { "Postgres and Redis": sharedStores } : {}),
};

describe.each(Object.entries(installations))("what users send, with %s", (_, open) => {
  let installation: Installation;
  const sent: string[] = [];
  beforeAll(async () => {
    installation = await startInstallation(await open());
  });
  afterAll(() => installation.stop());

  it.each(ways)("leaves no trace after %s", async (_way, send) => {
    const canary = newCanary();
    sent.push(canary);
    const answer = await send(installation, canary);
    expect(findCanary(canary, { answer }, [])).toEqual([]);
    expect(await installation.searchNew(canary)).toEqual([]);
  });

  it("is returned by no route of the dashboard", async () => {
    const answers = await readEverything(installation);
    expect(findCanary([...sent, installation.key], answers, [])).toEqual([]);
    // There was something to tell: counts of what was sent.
    expect(answers["/admin/usage"]).toMatch(/"requests":[1-9]/);
  });

  it("stays in the database where it is a name that people gave", async () => {
    const { ada, operator } = installation;
    const canary = newCanary();
    const name = canary.slice(0, 38);
    const key = { models: null, expiresInDays: null };
    const made = await ada.post<{ key: { id: string } }>("/api/keys", {
      ...{ ...key, name, tags: [canary.slice(6, 30)] },
    });
    await ada.must("PUT", `/api/keys/${made.key.id}`, {
      ...{ name: `${name}!`, models: ["omega"], tags: [canary.slice(6, 30)], limits: null },
    });
    await operator.post("/api/admin/invites", { email: `${canary.slice(0, 38)}@example.com` });
    await readEverything(installation);
    await ada.post(`/api/keys/${made.key.id}/revoke`);
    expect(await installation.search(name)).not.toEqual([]);
    expect(await installation.searchOutside([name, canary.slice(6, 30)])).toEqual([]);
  });

  it("holds for the API key, too", async () => {
    expect(await installation.search(installation.key)).toEqual([]);
  });

  it("is not in the files after the server has stopped either", async () => {
    const canary = newCanary();
    const messages = [{ role: "user", content: canary }];
    await (await installation.chat({ model: "omega", max_tokens: 16, messages })).text();
    expect(await installation.sotto.stop()).toBe(0);
    expect(sent).toHaveLength(ways.length);
    expect(await installation.search([canary, ...sent])).toEqual([]);
    // The log did say something: an empty one would prove nothing.
    expect(installation.sotto.output()).toContain('"msg":"request"');
  });
});

it("samples ways that there are", () => {
  expect([...sample].filter((name) => !(name in allWays))).toEqual([]);
});

it("asks every route of the dashboard that reads", () => {
  expect(readRoutes().length).toBeGreaterThan(20);
  expect(Object.keys(reads).sort()).toEqual(readRoutes().sort());
});

describe("the search itself", () => {
  const plant: Record<string, (canary: string, folder: string) => void> = {
    plain: (canary, folder) => {
      writeFileSync(join(folder, "leak.txt"), `before ${canary} after`);
    },
    "base64, at every offset": (canary, folder) => {
      for (const shift of ["", "x", "xx"]) {
        writeFileSync(join(folder, `leak${shift}.txt`), Buffer.from(`${shift}${canary}`).toString("base64"));
      }
    },
    hex: (canary, folder) => {
      writeFileSync(join(folder, "leak.txt"), Buffer.from(canary).toString("hex"));
    },
    "JSON with escapes": (canary, folder) => {
      const escaped = canary.replace(
        /[^\x20-\x7e]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      writeFileSync(join(folder, "leak.json"), `{"a":"${escaped}"}`);
    },
    "a database row that is only in the write-ahead log": (canary, folder) => {
      const database = new Database(join(folder, "leak.db"));
      database.pragma("journal_mode = WAL");
      database.exec("create table t (x)");
      database.prepare("insert into t values (?)").run(canary);
      expect(readdirSync(folder)).toContain("leak.db-wal");
    },
  };

  it.each(Object.entries(plant))("finds a leak planted as %s", (_, leak) => {
    const folder = mkdtempSync(join(tmpdir(), "sotto-leak-"));
    const canary = newCanary();
    leak(canary, folder);
    const found = findCanary(canary, {}, [folder]);
    expect(new Set(found.map(({ place }) => place)).size).toBeGreaterThan(0);
  });

  it("finds a leak in a file that was searched before, and in a new one", () => {
    const folder = mkdtempSync(join(tmpdir(), "sotto-leak-"));
    const [searched, canary] = [new SearchedFiles(), newCanary()];
    const search = () =>
      findCanary(canary, {}, [folder], (path, file) => searched.isUnchanged(path, file)).map(
        ({ place }) => place,
      );
    const [old, changed, added] = ["old", "changed", "added"].map((name) => join(folder, name));
    for (const path of [old, changed]) writeFileSync(path ?? "", "nothing");
    expect(search()).toEqual([]);
    for (const path of [changed, added]) writeFileSync(path ?? "", canary);
    expect(search().sort()).toEqual([added, changed]);
  });

  it("finds a leak planted in the log", () => {
    const canary = newCanary();
    expect(findCanary(canary, { output: `{"msg":"request","prompt":"${canary}"}` }, [])).not.toEqual([]);
  });

  it("finds the one of many that has leaked, and takes no other for it", () => {
    const [first, leaked, last] = [newCanary(), newCanary(), newCanary()];
    // Letters only, since the others are the same in all of them.
    const output = leaked.replace(/[^\x20-\x7e]/gu, "");
    expect(findCanary([first, leaked, last], { output }, [])).toEqual([{ place: "output", form: "plain" }]);
    expect(findCanary([first, last], { output }, [])).toEqual([]);
  });
});
