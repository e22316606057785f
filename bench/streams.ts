/**
 * Many streams on one process: 10,000 readers of one token a second, with the memory of each and the delay of
 * the event loop; then 1,000 clients that do not read at all while the engine has unlimited output. The clients run
 * in this process, on the same machine: their cost is not counted, but they compete with the service for its cores.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { startPacedSotto } from "../test/support/engines/paced-service.js";
import type { SottoProcess } from "../test/support/processes/sotto-process.js";
import { chatTarget, inMegabytes, noLimits, residentBytes } from "./load.js";

const readers = 10_000;
const stalledReaders = 1_000;
const openAtOnce = 200;
const watchSeconds = 30;

export async function benchStreams(): Promise<void> {
  const sotto = await startPacedSotto({ tokenMs: 1_000, capacity: 20_000 }, { env: noLimits });
  const sockets: Socket[] = [];
  try {
    const request = await streamRequest(sotto);
    const received = { bytes: 0, events: 0 };
    sockets.push(...(await openReaders(sotto, request, 200, received)));
    await sleep(2_000);
    const before = residentBytes(sotto.pid);
    sockets.push(...(await openReaders(sotto, request, readers, received)));
    await sleep(3_000);
    // Reading the metric resets it.
    await sotto.metric("nodejs_eventloop_lag_p99_seconds");
    received.events = 0;
    await sleep(watchSeconds * 1_000);
    const delay = await sotto.metric("nodejs_eventloop_lag_p99_seconds");
    const after = residentBytes(sotto.pid);
    const active = await sotto.metric("sotto_sequences_active", "omega");
    console.log(`${active} streams at one token a second, for ${watchSeconds} s`);
    console.log(`events received a second    ${(received.events / watchSeconds).toFixed(0)}`);
    console.log(
      `memory for each stream      ${((after - before) / readers / 1024).toFixed(1)} KB (target: at most 64)`,
    );
    console.log(`memory in all               ${inMegabytes(after)}`);
    console.log(`event-loop delay p99        ${(delay * 1000).toFixed(1)} ms (target: at most 50)`);
  } finally {
    for (const socket of sockets) socket.destroy();
    await sotto.stop();
  }
}

export async function benchStalled(): Promise<void> {
  const sotto = await startPacedSotto({ tokenMs: 0, capacity: 20_000, textChars: 8_000 }, { env: noLimits });
  const sockets: Socket[] = [];
  try {
    const request = await streamRequest(sotto);
    const before = residentBytes(sotto.pid);
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, residentBytes(sotto.pid));
    }, 100);
    for (let opened = 0; opened < stalledReaders; opened += openAtOnce) {
      const batch = await Promise.all(Array.from({ length: openAtOnce }, () => openSocket(sotto)));
      for (const socket of batch) {
        socket.pause();
        socket.write(request);
      }
      sockets.push(...batch);
    }
    // Each is written to until its socket takes no more, which takes a while for all of them.
    let active = 0;
    for (let seconds = 0; seconds < 50 && active < stalledReaders; seconds++) {
      await sleep(1_000);
      active = await sotto.metric("sotto_sequences_active", "omega");
    }
    clearInterval(watch);
    console.log(`\n${active} readers that do not read, an engine without limit`);
    console.log(`memory in all               ${inMegabytes(most)} at most (target: at most 300 MB)`);
    console.log(`of it before they came      ${inMegabytes(before)}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    await sotto.stop();
  }
}

async function streamRequest(sotto: SottoProcess): Promise<string> {
  const { headers, body } = chatTarget(sotto.baseURL, await sotto.newKey(), {
    stream: true,
    max_tokens: 50_000,
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const length = `content-length: ${Buffer.byteLength(body)}`;
  return ["POST /v1/chat/completions HTTP/1.1", "host: x", ...lines, length, "", body].join("\r\n");
}

async function openReaders(
  sotto: SottoProcess,
  request: string,
  count: number,
  received: { bytes: number; events: number },
): Promise<Socket[]> {
  const all: Socket[] = [];
  for (let opened = 0; opened < count; opened += openAtOnce) {
    const batch = await Promise.all(Array.from({ length: openAtOnce }, () => openSocket(sotto)));
    for (const socket of batch) {
      socket.on("data", (bytes: Buffer) => {
        received.bytes += bytes.length;
        received.events += 1;
      });
      socket.write(request);
    }
    all.push(...batch);
  }
  return all;
}

async function openSocket(sotto: SottoProcess): Promise<Socket> {
  const socket = connect({ port: Number(new URL(sotto.url).port), host: "127.0.0.1" });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}
