import { systemClock, type Clock } from "../../src/core/clock.js";

/** Moved back for the time in which the past is made. */
export class PastClock implements Clock {
  agoMs = 0;
  now = (): Date => new Date(systemClock.now().getTime() - this.agoMs);
  monotonicMs = (): number => systemClock.monotonicMs();
}

export const question = "Explain backpressure in one paragraph, for someone who knows queues.";
export const answer =
  "Backpressure is what a system does when work arrives faster than it can be finished. Instead of letting the queue " +
  "grow until memory runs out, the slow part tells the fast part to wait: a full buffer stops reading, the socket " +
  "behind it fills, and in the end the sender pauses. **The signal travels upstream**, and each stage holds only as " +
  "much as it can handle. `write()` returning `false` in Node is one such signal.";

/** Has most of what Markdown can show: headings, a wide table, code in a language, lists with nested code. */
export const longQuestion = "Compare three ways to apply backpressure, with an example in TypeScript.";
export const longAnswer = `## Three ways

| Approach | What the sender notices | Memory held | Use it when |
| --- | --- | ---: | --- |
| Bounded queue | \`push\` waits | fixed | producer and consumer share a process |
| Credits | no credit, no message | credits × message size | they are on **different machines** |
| Load shedding | an error, \`429\` | none | late work is worthless |

### A bounded queue

\`\`\`ts
/** Waits while the queue is full, so that a fast producer runs at the pace of its slowest consumer and no faster. */
async function push<Item>(queue: BoundedQueue<Item>, item: Item): Promise<void> {
  while (queue.length >= queue.limit) await queue.drained();
  queue.add(item);
}
\`\`\`

1. Choose the limit from the **memory** you can spare, not from the load you expect.
2. Measure how long \`push\` waits: that is your backpressure.
   - no wait: the limit is never reached
   - always waiting: add consumers

> A queue without a limit only hides the problem until memory runs out.

~~Retry at once~~ Retry with jitter: <https://example.com/backoff>
`;

/** Office hours, quiet nights and weekends: from nearly none to 1. */
export function busynessAt(time: Date): number {
  const isWeekend = time.getUTCDay() === 0 || time.getUTCDay() === 6;
  const daylight = Math.max(0, Math.sin(((time.getUTCHours() - 5) / 15) * Math.PI));
  return (0.03 + 0.97 * daylight) * (isWeekend ? 0.35 : 1);
}
