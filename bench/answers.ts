/**
 * How many ordinary questions the starter answers, with its correction and without, at the usual temperature and at
 * 0. Questions go to the whole service, as a newcomer would ask: with its own system prompt, sampling and cap.
 * `ANSWERS=verbose` prints every answer that was counted as wrong; settings given in the environment
 * (SOTTO_MODELS_OMEGA_MIN_P and its siblings) are passed on, which is how they were chosen.
 */
import { Agent, fetch } from "undici";
import { startSotto, type SottoProcess } from "../test/support/processes/sotto-process.js";
import { questions, type Question } from "./questions.js";

const atOnce = 8;
const limitMs = 1_800_000;
const dispatcher = new Agent({ headersTimeout: limitMs, bodyTimeout: limitMs });
const temperatures = [undefined, 0] as const;

export async function benchAnswers(): Promise<void> {
  const chosen = (process.env.ANSWERS_OF ?? "corrected,uncorrected").split(",");
  const rights: number[] = [];
  for (const which of chosen) {
    const sotto = await startSotto({
      env: {
        ...settings(),
        SOTTO_ENGINE_REENCODE_STARTER: which === "corrected" ? "on" : "off",
        // The original weights are slow on a busy machine, and time is not what is measured here.
        SOTTO_ENGINE_FIRST_TOKEN_TIMEOUT_MS: "600000",
        SOTTO_ENGINE_NEXT_TOKEN_TIMEOUT_MS: "300000",
      },
    });
    try {
      const key = await sotto.newKey();
      for (const temperature of temperatures) {
        const right = await countRight(sotto, key, temperature);
        rights.push(right);
        const at = temperature === undefined ? "usual temperature" : `temperature ${temperature}`;
        console.log(`${which.padEnd(12)} ${at.padEnd(18)} ${right} / ${questions.length} right`);
      }
    } finally {
      await sotto.stop();
    }
  }
  const [usual, cold, usualBefore, coldBefore] = rights;
  if (usual === undefined || cold === undefined || usualBefore === undefined || coldBefore === undefined)
    return;
  console.log(
    `\ncorrected / uncorrected: ${(usual / usualBefore).toFixed(2)} at the usual temperature, ${(cold / coldBefore).toFixed(2)} at 0 (target: 1.5)`,
  );
}

const settings = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith("SOTTO_MODELS_OMEGA_") && value !== undefined ? [[name, value]] : [],
    ),
  );

async function countRight(
  sotto: SottoProcess,
  key: string,
  temperature: number | undefined,
): Promise<number> {
  const waiting = [...questions];
  let right = 0;
  const work = async (): Promise<void> => {
    for (let question = waiting.shift(); question !== undefined; question = waiting.shift()) {
      const answer = await ask(sotto, key, question, temperature);
      const isRight = question.right.test(answer) && question.wrong?.test(answer) !== true;
      if (isRight) right += 1;
      else if (process.env.ANSWERS === "verbose")
        console.log(`  wrong: ${question.ask} → ${JSON.stringify(answer)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return right;
}

async function ask(
  sotto: SottoProcess,
  key: string,
  { ask: content, before = [] }: Question,
  temperature: number | undefined,
): Promise<string> {
  const said = [...before, content].map((text, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: text,
  }));
  const response = await fetch(`${sotto.baseURL}/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model: "omega", messages: said, temperature, seed: 1 }),
    dispatcher,
  });
  const reply = (await response.json()) as { choices?: [{ message: { content: string } }] };
  if (reply.choices === undefined) throw new Error(`The service answered ${response.status}.`);
  return reply.choices[0].message.content;
}
