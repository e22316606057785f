/**
 * Both replicas of an installation are restarted, one after the other, while people use it through a load balancer
 * with the official SDK as it comes: two retries, and none of a stream that has begun.
 */
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBalancer, type Balancer } from "../../support/clients/balancer.js";
import { question } from "../../support/clients/chat.js";
import { eventually } from "../../support/eventually.js";
import { noRedis } from "../../support/stores/redis.js";
import { startThreeProcesses, type ThreeProcesses } from "../../support/processes/three-processes.js";

const clients = 6;

describe.skipIf(noRedis)("a rolling restart under load", () => {
  let parts: ThreeProcesses;
  let balancer: Balancer;

  beforeAll(async () => {
    parts = await startThreeProcesses();
    balancer = await startBalancer(parts.replicas.map(({ process }) => process.url));
  });
  afterAll(async () => {
    await balancer.close();
    await parts.stop();
  });

  it("fails no request", async () => {
    const [one, two] = parts.replicas;
    const { secret: apiKey } = await parts.newKey();
    let isOver = false;
    let [whole, streamed] = [0, 0];
    const failures: unknown[] = [];
    const use = async (client: OpenAI, isStream: boolean): Promise<void> => {
      if (isStream) await readStream(client);
      else await readWhole(client);
    };
    const keepUsing = async (index: number): Promise<void> => {
      const client = new OpenAI({ baseURL: `${balancer.url}/v1`, apiKey });
      for (let isStream = index % 2 === 0; !isOver; isStream = !isStream) {
        try {
          await use(client, isStream);
          if (isStream) streamed += 1;
          else whole += 1;
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const users = Array.from({ length: clients }, (_, index) => keepUsing(index));
    /** Both kinds of replies, and from both replicas. */
    const someMore = async () => {
      const [wholeBefore, streamedBefore, before] = [whole, streamed, balancer.answered];
      await eventually(
        () =>
          whole > wholeBefore + clients &&
          streamed > streamedBefore + clients &&
          balancer.answered.every((answered, index) => answered > (before[index] ?? 0)),
      );
    };

    await someMore();
    for (const [index, replica] of [one, two].entries()) {
      // In the middle of a reply.
      await eventually(async () => (await replica.process.metric("sotto_sequences_active", "omega")) > 0);
      replica.process.kill("SIGTERM");
      expect(await replica.process.exited()).toBe(0);
      await eventually(() => !balancer.isIn(index));
      await replica.start();
      await eventually(() => balancer.isIn(index));
      await someMore();
    }
    isOver = true;
    await Promise.all(users);
    expect(failures).toEqual([]);
  });
});

async function readWhole(client: OpenAI): Promise<void> {
  const { choices } = await client.chat.completions.create({ ...request, max_completion_tokens: 32 });
  if (choices[0]?.finish_reason !== "length") throw new Error("a reply is not whole");
}

async function readStream(client: OpenAI): Promise<void> {
  const stream = await client.chat.completions.create({
    ...request,
    max_completion_tokens: 300,
    stream: true,
  });
  let finishReason: string | null = null;
  for await (const { choices } of stream) finishReason = choices[0]?.finish_reason ?? finishReason;
  if (finishReason !== "length") throw new Error("a stream ended early");
}

const request: Pick<OpenAI.ChatCompletionCreateParams, "model" | "messages"> = {
  model: question.model,
  messages: [{ role: "user", content: "Go on." }],
};
