import { afterEach, describe, expect, it } from "vitest";
import { TaskLost, WorkerThread, type WorkerThreadOptions } from "./worker-thread.js";

const threads: WorkerThread<string, string, string>[] = [];
afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close();
});

/** A thread that runs this for each task; null asks it to end. */
function threadWith(onTask: string, options: Partial<WorkerThreadOptions> = {}) {
  const program = `import { parentPort } from "node:worker_threads";
    const answer = (result) => parentPort.postMessage({ type: "result", result });
    parentPort.on("message", (task) => { ${onTask} });
    parentPort.postMessage({ type: "ready", facts: "here" });`;
  const file = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  const thread = new WorkerThread<string, string, string>({
    file,
    startMs: 60_000,
    taskMs: 60_000,
    ...options,
  });
  threads.push(thread);
  return thread;
}

describe("a thread for tasks", () => {
  it("reports what it found when it started, and performs one task after another", async () => {
    const thread = threadWith("answer(task + '!')");
    expect(await thread.start()).toBe("here");
    const results: string[] = [];
    for (const task of ["a", "b", "c"]) results.push(await thread.run(task));
    expect(results).toEqual(["a!", "b!", "c!"]);
  });

  it("loses a task when it ends, without its words, and the next task starts another", async () => {
    const thread = threadWith("if (task === 'bad') throw new Error('secret words'); answer(task)");
    await expect(thread.run("bad")).rejects.toEqual(new TaskLost("thread_ended"));
    expect(await thread.run("good")).toBe("good");
  });

  it("is ended when a task takes too long", async () => {
    const thread = threadWith("if (task === 'slow') for (;;); answer(task)", { taskMs: 2_000 });
    await expect(thread.run("slow")).rejects.toEqual(new TaskLost("timed_out"));
    expect(await thread.run("quick")).toBe("quick");
  });

  it("is asked to end where it runs native code", async () => {
    const thread = threadWith("if (task === null) parentPort.close(); else answer(task)", {
      runsNativeCode: true,
    });
    expect(await thread.run("a")).toBe("a");
    await thread.close();
    expect(await thread.run("b")).toBe("b");
  });

  it("rejects when it cannot be started", async () => {
    const thread = threadWith("", { file: new URL("data:text/javascript,process.exit(1)") });
    await expect(thread.run("a")).rejects.toThrow("ended before it was ready");
  });
});
