import { writeSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { writerTo } from "./log-output.js";

/** A pipe that takes `room` bytes until it is emptied. */
class Pipe {
  text = "";
  calls = 0;
  constructor(
    public room: number,
    private readonly emptiesAfter = Infinity,
  ) {}

  readonly put = ((_file: number, bytes: Buffer): number => {
    this.calls += 1;
    if (this.calls > this.emptiesAfter) this.room = Infinity;
    if (this.room === 0) throw Object.assign(new Error("full"), { code: "EAGAIN" });
    const taken = bytes.subarray(0, this.room);
    this.room -= taken.length;
    this.text += taken.toString();
    return taken.length;
  }) as typeof writeSync;

  empty(): void {
    this.room = Infinity;
  }
}

describe("writing log lines", () => {
  it("waits for a reader that is a little late, and loses nothing", () => {
    const pipe = new Pipe(4, 5);
    writerTo(2, pipe.put)("one line\nand another\n");
    expect(pipe.text).toBe("one line\nand another\n");
  });

  it("waits once for a reader that reads nothing, and drops lines until it reads again", () => {
    const pipe = new Pipe(0);
    const write = writerTo(2, pipe.put);
    write("lost\n");
    const callsOfFirst = pipe.calls;
    write("lost too\n");
    expect(pipe.calls).toBe(callsOfFirst + 1);
    pipe.empty();
    write("seen\n");
    expect(pipe.text).toBe("seen\n");
  });

  it("does not wait again for one that reads a little now and then", () => {
    const pipe = new Pipe(0);
    const write = writerTo(2, pipe.put);
    write("lost\n");
    pipe.room = 2;
    const callsBefore = pipe.calls;
    write("cut\n");
    expect(pipe.calls).toBe(callsBefore + 2);
  });

  it("begins a new line after one that was cut", () => {
    const pipe = new Pipe(4);
    const write = writerTo(2, pipe.put);
    write("cut line\n");
    pipe.empty();
    write("seen\n");
    expect(pipe.text).toBe("cut \nseen\n");
  });

  it("goes on when nobody reads", () => {
    const gone = (() => {
      throw Object.assign(new Error("gone"), { code: "EPIPE" });
    }) as typeof writeSync;
    expect(() => writerTo(2, gone)("lost\n")).not.toThrow();
  });
});
