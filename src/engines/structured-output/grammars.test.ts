import { afterEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import type { ReplyFormat } from "../../core/chat/request.js";
import { TaskLost } from "../../adapters/worker-thread.js";
import type { Compiled } from "./grammar-worker.js";
import { Grammars, grammarThread } from "./grammars.js";

const inSchema = (schema: Record<string, unknown>): ReplyFormat => ({
  type: "json_schema",
  name: "test",
  schema,
});
const never = () => new AbortController().signal;
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A thread that the test works for. */
class HeldThread {
  readonly asked: string[] = [];
  #resolve: (compiled: Compiled) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  run(schemaText: string): Promise<Compiled> {
    this.asked.push(schemaText);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  async answer(compiled: Compiled = { type: "grammar", gbnf: "root ::= [a]" }): Promise<void> {
    this.#resolve(compiled);
    await settle();
  }

  async loseTask(): Promise<void> {
    this.#reject(new TaskLost("timed_out"));
    await settle();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const opened: Grammars[] = [];
function setUp(options: { keeps?: boolean } = {}) {
  const [thread, clock] = [new HeldThread(), new FakeClock()];
  const grammars = new Grammars({ thread, clock, ...options });
  opened.push(grammars);
  /** Answers that nobody waits for yet. */
  const ask = (accountId: string, title: string, signal = never()) => {
    const answer = grammars.of(inSchema({ title }), accountId, signal);
    answer.catch(() => undefined);
    return answer;
  };
  const asked = () =>
    thread.asked.map((text) => (JSON.parse(text) as { schema: { title: string } }).schema.title);
  return { thread, clock, grammars, ask, asked };
}
afterEach(async () => {
  for (const grammars of opened.splice(0)) await grammars.close();
});

describe("grammars of schemas", () => {
  it("of a deleted account are dropped, also those that are being compiled", async () => {
    const { thread, grammars, ask, asked } = setUp();
    void ask("gone", "kept");
    await settle();
    await thread.answer();
    void ask("gone", "under way");
    await settle();
    grammars.forgetAccount("gone");
    await thread.answer();
    void ask("gone", "kept");
    await settle();
    await thread.answer();
    void ask("gone", "under way");
    await settle();
    expect(asked()).toEqual(["kept", "under way", "kept", "under way"]);
  });

  it("are compiled one at a time, and no account waits for all that another has sent", async () => {
    const { thread, ask, asked } = setUp();
    for (let index = 0; index < 5; index++) void ask("busy", `busy ${index}`);
    await settle();
    void ask("other", "other");
    expect(asked()).toEqual(["busy 0"]);
    await thread.answer();
    expect(asked()).toEqual(["busy 0", "other"]);
    await thread.answer();
    expect(asked()).toEqual(["busy 0", "other", "busy 1"]);
  });

  it("are compiled once for those who ask for the same at the same moment, and kept for the next", async () => {
    const { thread, ask, asked } = setUp();
    const both = [ask("one", "same"), ask("one", "same")];
    await settle();
    await thread.answer();
    expect(await Promise.all(both)).toEqual(["root ::= [a]", "root ::= [a]"]);
    expect(await ask("one", "same")).toBe("root ::= [a]");
    expect(asked()).toEqual(["same"]);
  });

  it("are kept for refusals too, but not for what took too long", async () => {
    const { thread, ask, asked } = setUp();
    const refused = ask("one", "refused");
    await settle();
    await thread.answer({ type: "refused", path: ["properties", 3], reason: "this is why" });
    const param = "response_format.json_schema.schema.properties[3]";
    await expect(refused).rejects.toMatchObject({ code: "invalid_value", param });
    await expect(ask("one", "refused")).rejects.toThrow("this is why");
    const slow = ask("one", "slow");
    await settle();
    await thread.loseTask();
    await expect(slow).rejects.toMatchObject({ code: "invalid_value" });
    await expect(slow).rejects.toThrow("takes too long to compile");
    void ask("one", "slow");
    await settle();
    expect(asked()).toEqual(["refused", "slow", "slow"]);
  });

  it("of tools are refused by the name of the tools when they take too long", async () => {
    const { thread, grammars } = setUp();
    const tool = { name: "f", description: undefined, parameters: {}, strict: true };
    const tooling = { tools: [tool], choice: "auto", parallel: true } as const;
    const request = { syntax: { type: "harmony" }, tooling, format: { type: "text" } } as const;
    const slow = grammars.ofCalls(request, "one", never());
    slow.catch(() => undefined);
    await settle();
    await thread.loseTask();
    await expect(slow).rejects.toMatchObject({ code: "invalid_value", param: "tools" });
  });

  it("are not shared between accounts, nor kept for long, nor at all where nothing may be", async () => {
    const { thread, clock, ask, asked } = setUp();
    for (const account of ["one", "other"]) {
      const answer = ask(account, "same");
      await settle();
      await thread.answer();
      await answer;
    }
    clock.advance(10 * 60_000);
    void ask("one", "same");
    await settle();
    expect(asked()).toEqual(["same", "same", "same"]);

    const forgetful = setUp({ keeps: false });
    for (let round = 0; round < 2; round++) {
      const answer = forgetful.ask("one", "same");
      await settle();
      await forgetful.thread.answer();
      await answer;
    }
    expect(forgetful.asked()).toEqual(["same", "same"]);
  });

  it("are not the same with strict and without", async () => {
    const { thread, grammars } = setUp();
    const format = { type: "json_schema", name: "test", schema: {} } as const;
    for (const strict of [false, true]) {
      const answer = grammars.of({ ...format, strict }, "one", never());
      await settle();
      await thread.answer();
      await answer;
    }
    expect(thread.asked.map((text) => JSON.parse(text) as unknown)).toEqual([
      { type: "schema", schema: {}, strict: false },
      { type: "schema", schema: {}, strict: true },
    ]);
  });

  it("are refused to an account that wants too many at once, and to nobody else", async () => {
    const { ask } = setUp();
    for (let index = 0; index < 32; index++) void ask("busy", `busy ${index}`);
    await expect(ask("busy", "one more")).rejects.toMatchObject({
      code: "rate_limit_exceeded",
      retryAfterSeconds: 1,
    });
    const other = ask("other", "other");
    await settle();
    expect(await Promise.race([other.catch(() => "refused"), settle().then(() => "waits")])).toBe("waits");
  });

  it("outlive a request that is aborted, and serve the others that want the same", async () => {
    const { thread, ask } = setUp();
    const leaving = new AbortController();
    const [gone, stays] = [ask("one", "same", leaving.signal), ask("one", "same")];
    await settle();
    leaving.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    await thread.answer();
    expect(await stays).toBe("root ::= [a]");
  });
});

describe("the thread that compiles", () => {
  it.each([
    ["from its source", undefined],
    ["as it is built", new URL("../../../dist/grammar-worker.js", import.meta.url)],
  ])("makes grammars and refusals, %s", async (_, workerFile) => {
    const thread = grammarThread(workerFile);
    const sent = (schema: object, strict = false) => JSON.stringify({ type: "schema", schema, strict });
    expect(await thread.run(sent({ type: "null" }))).toMatchObject({
      type: "grammar",
      gbnf: expect.stringContaining("null") as string,
    });
    const schema = { properties: { "private-mark": { contains: {} } } };
    expect(await thread.run(sent(schema))).toMatchObject({ type: "grammar" });
    expect(await thread.run(sent(schema, true))).toEqual({
      type: "refused",
      path: ["properties", 0, "contains"],
      reason: "this cannot be enforced with 'strict'; describe all items with 'items'",
    });
    await thread.close();
  });
});
