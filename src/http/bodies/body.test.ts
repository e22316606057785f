import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { readBytes } from "./body.js";
import { ClientHungUp } from "../connection/exchange.js";

describe("reading a body", () => {
  it("rejects at once when the client hung up before it began", async () => {
    const signal = AbortSignal.abort(new ClientHungUp());
    await expect(readBytes(new PassThrough(), 10, signal)).rejects.toBeInstanceOf(ClientHungUp);
  });

  it("rejects with what the server was told to end with", async () => {
    const ending = new Error("The server is shutting down.");
    await expect(readBytes(new PassThrough(), 10, AbortSignal.abort(ending))).rejects.toBe(ending);
    const controller = new AbortController();
    const reading = readBytes(new PassThrough(), 10, controller.signal);
    controller.abort(ending);
    await expect(reading).rejects.toBe(ending);
  });

  it("rejects when the body is gone, before it began or while it arrives", async () => {
    const { signal } = new AbortController();
    const gone = new PassThrough();
    gone.destroy();
    await expect(readBytes(gone, 10, signal)).rejects.toBeInstanceOf(ClientHungUp);
    const going = new PassThrough();
    const reading = readBytes(going, 10, signal);
    going.write("{");
    going.destroy();
    await expect(reading).rejects.toBeInstanceOf(ClientHungUp);
  });

  it("leaves nothing listening", async () => {
    const { signal } = new AbortController();
    const body = new PassThrough();
    const before = body.eventNames().map((name) => [name, body.listenerCount(name)]);
    const reading = readBytes(body, 10, signal);
    body.end("{}");
    expect((await reading).toString()).toBe("{}");
    expect(body.eventNames().map((name) => [name, body.listenerCount(name)])).toEqual(before);
  });
});
