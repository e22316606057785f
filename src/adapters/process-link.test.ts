import { expect, it } from "vitest";
import { ProcessLink } from "./process-link.js";

interface Calculator {
  add(a: number, b: number): number;
  later(text: string): Promise<string>;
  fail(): void;
  remember(text: string): void;
  all(): string[];
}

function joined() {
  const messages: unknown[] = [];
  const carried = (message: unknown): unknown => {
    messages.push(message);
    return JSON.parse(JSON.stringify(message));
  };
  const there: ProcessLink<object, Calculator> = new ProcessLink({
    send: (message) => here.receive(carried(message)),
    answerMs: 60_000,
  });
  const here: ProcessLink<Calculator, object> = new ProcessLink({
    send: (message) => there.receive(carried(message)),
    answerMs: 60_000,
  });
  const remembered: string[] = [];
  there.answer("add", (a, b) => a + b);
  there.answer("later", async (text) => text.toUpperCase());
  there.answer("fail", () => {
    throw new RangeError("SECRET");
  });
  there.answer("remember", (text) => void remembered.push(text));
  there.answer("all", () => remembered);
  return { here, messages };
}

it("answers calls, in whatever order they are ready", async () => {
  const { here } = joined();
  expect(await Promise.all([here.call("later", "a"), here.call("add", 1, 2)])).toEqual(["A", 3]);
});

it("keeps the order of notes and calls", async () => {
  const { here } = joined();
  for (const text of ["a", "b", "c"]) here.note("remember", text);
  expect(await here.call("all")).toEqual(["a", "b", "c"]);
});

it("sends what belongs to one turn as one message", async () => {
  const { here, messages } = joined();
  await Promise.all(Array.from({ length: 50 }, (_, index) => here.call("add", index, 1)));
  expect(messages).toHaveLength(2);
});

it("says of an error in the other process its class alone", async () => {
  const { here } = joined();
  await expect(here.call("fail")).rejects.toThrow("Another process failed: RangeError.");
});

it("rejects what waits, and what comes later, when the other process has ended", async () => {
  const link: ProcessLink<Calculator, object> = new ProcessLink({ send: () => undefined, answerMs: 60_000 });
  const waiting = link.call("add", 1, 2);
  link.close();
  await expect(waiting).rejects.toThrow("does not answer");
  await expect(link.call("add", 1, 2)).rejects.toThrow("does not answer");
});

it("rejects a call without an answer in time, and later ones immediately until something arrives", async () => {
  const sent: unknown[] = [];
  const link: ProcessLink<Calculator, object> = new ProcessLink({
    send: (message) => void sent.push(message),
    answerMs: 1,
  });
  const changes: boolean[] = [];
  const late: unknown[] = [];
  link.onSilence((isSilent) => changes.push(isSilent));
  link.onLate("add", (...given) => late.push(given));
  await expect(link.call("add", 1, 2)).rejects.toMatchObject({ status: 503 });
  await expect(link.call("add", 3, 4)).rejects.toMatchObject({ status: 503 });
  expect(sent).toEqual([[["call", "add", [1, 2], 0]]]);
  link.receive([["answer", 0, 3]]);
  await expect(link.call("add", 5, 6)).rejects.toMatchObject({ status: 503 });
  expect(sent).toHaveLength(2);
  expect(late).toEqual([[3, 1, 2]]);
  expect(changes).toEqual([true, false, true]);
});
