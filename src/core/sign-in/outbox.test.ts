import { describe, expect, it } from "vitest";
import type { Mail } from "./mail.js";
import { Outbox } from "./outbox.js";

const mail: Mail = { kind: "quota", to: "ada@example.com", subject: "A quota", text: "Most of it is used." };

/** A mail server that refuses the first `refusals` mails, and time that passes when it is asked to. */
function outboxWith(refusals: number) {
  const sent: Mail[] = [];
  const tries: Mail[] = [];
  const errors: unknown[] = [];
  const waits: { ms: number; pass: () => void }[] = [];
  const mailer = {
    send: async (one: Mail) => {
      tries.push(one);
      if (tries.length <= refusals) throw new Error("550 nobody here");
      sent.push(one);
    },
    close: async () => undefined,
  };
  const wait = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve());
      waits.push({ ms, pass: resolve });
    });
  const outbox = new Outbox(mailer, (error) => void errors.push(error), wait);
  /** Lets the present wait pass, and what follows happen. */
  const pass = async () => {
    const next = waits.shift();
    next?.pass();
    await new Promise((resolve) => setImmediate(resolve));
    return next?.ms;
  };
  return { outbox, sent, tries, errors, waits, pass };
}

describe("the outbox", () => {
  it("tries a mail again that was refused, later each time, and then no more", async () => {
    const { outbox, sent, tries, errors, waits, pass } = outboxWith(Infinity);
    outbox.post(async () => mail, { isRetried: true });
    await pass();
    expect(tries).toHaveLength(1);
    const laterMs = [await pass(), await pass(), await pass()];
    expect(laterMs).toEqual([30_000, 300_000, 1_200_000]);
    expect(tries).toHaveLength(4);
    expect(errors).toHaveLength(4);
    expect(waits).toEqual([]);
    expect(sent).toEqual([]);
    await outbox.close();
    expect(tries).toHaveLength(4);
  });

  it("sends it once when it is accepted, and writes it once", async () => {
    const { outbox, sent, waits, pass } = outboxWith(2);
    let written = 0;
    const write = async () => {
      written += 1;
      return mail;
    };
    outbox.post(write, { isRetried: true });
    for (let step = 0; step < 3; step++) await pass();
    expect([sent.length, written, waits.length]).toEqual([1, 1, 0]);
  });

  it("tries what waits once more when it closes", async () => {
    const { outbox, sent, tries, pass } = outboxWith(1);
    outbox.post(async () => mail, { isRetried: true });
    await pass();
    await outbox.close();
    expect([tries.length, sent.length]).toEqual([2, 1]);
  });

  it("does not try again what people can ask for again", async () => {
    const { outbox, tries, errors, waits, pass } = outboxWith(1);
    outbox.post(async () => mail);
    await pass();
    expect([tries.length, errors.length, waits.length]).toEqual([1, 1, 0]);
  });

  it("has room for others however many wait for their next try", async () => {
    const { outbox, tries, waits, pass } = outboxWith(Infinity);
    for (let count = 0; count < 60; count++) {
      outbox.post(async () => mail, { isRetried: true });
      const first = waits.pop();
      first?.pass();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(tries).toHaveLength(60);
    await outbox.close();
    expect(tries).toHaveLength(120);
    await pass();
  });
});
