/**
 * The engine on a machine where another process keeps one core busy: threads that adapt beside as many as there are
 * cores, and beside one fewer. All three services are up and take turns.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { closeConnections } from "./chat-stream.js";
import { overHttp, starterForBench, startService, type Contender } from "./contenders.js";
import { median } from "./statistics.js";

const rounds = 3;
const tokensPerStream = 32;
const spin = "for (;;);";

export async function benchCrowded(): Promise<void> {
  const cores = availableParallelism();
  const weights = await starterForBench();
  const start = async (name: string, threads: number | undefined): Promise<Contender> => {
    const { sotto, endpoint } = await startService({ weights, threads, sequences: 8, contextTokens: 2048 });
    return overHttp(name, endpoint, [], () => sotto.stop());
  };
  const fewer = Math.max(1, cores - 1);
  const contenders = [
    await start("adapting", undefined),
    await start(`${cores} threads`, cores),
    await start(`${fewer} threads`, fewer),
  ];
  try {
    await compare("quiet", contenders);
    const other = spawn(process.execPath, ["-e", spin], { stdio: "ignore" });
    try {
      await compare("one core busy", contenders);
    } finally {
      other.kill("SIGKILL");
      await once(other, "exit");
    }
  } finally {
    for (const { close } of contenders) await close();
    await closeConnections();
  }
}

async function compare(machine: string, contenders: readonly Contender[]): Promise<void> {
  for (const streams of [1, 4]) {
    const rates = contenders.map((): number[] => []);
    // The first round is warm-up.
    for (let round = 0; round <= rounds; round++) {
      for (const [index, { run }] of contenders.entries()) {
        const prompts = Array.from(
          { length: streams },
          (_, stream) => `${round}.${stream}. Tell me a story.`,
        );
        const { tokensPerSecond } = await run(prompts, tokensPerStream);
        if (round > 0) rates[index]?.push(tokensPerSecond);
      }
    }
    const medians = rates.map(median);
    const [first = 0, ...others] = medians;
    const cells = contenders.map(({ name }, index) => `${name} ${medians[index]?.toFixed(1)}`);
    console.log(
      `${machine}, ${streams} streams, tokens per second: ${cells.join(", ")}; ` +
        `adapting is ${others.map((rate) => (first / rate).toFixed(2)).join(" and ")} of the others`,
    );
  }
}
