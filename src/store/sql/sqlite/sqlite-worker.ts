/**
 * A thread with one connection to the database. It takes all statements that are queued, executes them in order, and
 * answers; adjacent writes share a commit (see group-commit.ts). It logs nothing.
 */
import { setup } from "./worker-setup.js";
import { parentPort, receiveMessageOnPort, type MessagePort } from "node:worker_threads";
import type Database from "libsql";
import { connect, setUp } from "./connection.js";
import { executeGroup, toGroups } from "./group-commit.js";
import { type FromThread, type Task, toPlainError, type ToThread } from "./messages.js";
import { enter, leave } from "./native-gate.js";

if (parentPort !== null) begin(parentPort);

function begin(port: MessagePort): void {
  const send = (message: FromThread): void => {
    port.postMessage(message);
  };
  try {
    const database = connect(setup.path);
    setUp(database, setup);
    send({ type: "opened" });
    port.on("message", (first: ToThread) => {
      serve(port, database, [first, ...queued(port)], send);
    });
  } catch (error) {
    const plain = toPlainError(error);
    // libsql gives no code to a file that it cannot open.
    send({ type: "unopened", error: { ...plain, code: plain.code ?? "SQLITE_CANTOPEN" } });
    port.close();
  } finally {
    leave(setup.gate);
  }
}

function serve(
  port: MessagePort,
  database: Database.Database,
  messages: readonly ToThread[],
  send: (message: FromThread) => void,
): void {
  const tasks = messages.filter((message): message is Task => message !== "close");
  for (const group of toGroups(tasks)) {
    enter(setup.gate);
    try {
      send({ type: "answers", answers: executeGroup(database, group) });
    } finally {
      leave(setup.gate);
    }
  }
  // "close" is the last message.
  if (tasks.length === messages.length) return;
  enter(setup.gate);
  database.close();
  leave(setup.gate);
  port.close();
}

/** What has arrived since. */
function queued(port: MessagePort): ToThread[] {
  const messages: ToThread[] = [];
  for (;;) {
    const next = receiveMessageOnPort(port) as { message: ToThread } | undefined;
    if (next === undefined) return messages;
    messages.push(next.message);
  }
}
