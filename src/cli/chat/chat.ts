/** `sotto chat`: a conversation in the terminal. It is in this process's memory only: no file, no history. */
import { keyVariable } from "../../connect/client.js";
import { UserError } from "../../core/user-error.js";
import type { Command } from "../command.js";
import { environmentOf } from "../environment.js";
import { originOf } from "../origin.js";
import { settingsOptions } from "../settings.js";
import { paint, typed } from "../terminal.js";
import { askSecret, Prompt } from "./prompt.js";
import { type ChatTarget, type Message, streamReply } from "./reply.js";

const maxPipedChars = 4 * 1024 * 1024;

export function chatCommand(program: Command): void {
  settingsOptions(program.command("chat"))
    .description("talk to a model in the terminal")
    .option("--url <url>", "where the service is (default: SOTTO_PUBLIC_URL, or this machine)")
    .option("--model <model>", "the model to talk to", "omega")
    .option("--system <text>", "instructions for the whole conversation")
    .notes(
      `
Examples:
  sotto chat
  sotto chat --url https://chat.example.com --model prism
  git diff | sotto chat --system "Write a commit message for this diff."

The key comes from ${keyVariable}; without it you are asked for one. Nothing is written to disk.
Ctrl-C stops a reply, a second one leaves, as does Ctrl-D. What is pasted may have several lines, and a line that ends in \\
continues on the next. /new starts over, /model <model> changes the model, /exit leaves.
What is piped in is one message, and the reply alone is printed.`,
    )
    .action(async (options: { url?: string; model: string; system?: string }, command: Command) => {
      const origin = originOf(options.url, command);
      const given = environmentOf(command)[keyVariable];
      const isConversation = process.stdin.isTTY;
      const key =
        given ?? (isConversation ? await askSecret(process.stdin, process.stderr, "API key: ") : null);
      if (key === null || key === "") {
        command.error(`error: set ${keyVariable} to a key. Create one: sotto keys create <email>`, {
          exitCode: 2,
        });
      }
      const target = { origin, key, model: options.model };
      const system: Message[] =
        options.system === undefined ? [] : [{ role: "system", content: options.system }];
      if (isConversation) await converse(target, system);
      else await answer(target, [...system, { role: "user", content: await readAll() }]);
    });
}

async function answer(target: ChatTarget, messages: readonly Message[]): Promise<void> {
  for await (const { kind, text } of streamReply(target, messages, new AbortController().signal)) {
    if (kind === "text") process.stdout.write(text);
  }
  process.stdout.write("\n");
}

async function converse(target: ChatTarget, system: readonly Message[]): Promise<void> {
  const { stdin, stdout } = process;
  const say = (text: string) => void stdout.write(`${text}\n`);
  say(
    paint(
      "dim",
      `${target.model} at ${target.origin}. Ctrl-C stops a reply, Ctrl-D leaves, /new starts over.`,
    ),
  );
  let { model } = target;
  let messages = [...system];
  const prompt = new Prompt(stdin, stdout, paint(["cyan", "bold"], "> "));
  for (;;) {
    const text = await prompt.ask();
    const [word = "", name] = (text ?? "/exit").trim().split(/\s+/);
    if (text === null || word === "/exit") return;
    if (word === "/new") {
      messages = [...system];
      say(paint("dim", "A new conversation."));
    } else if (word === "/model") {
      model = name ?? model;
      say(paint("dim", `The model is ${model}.`));
    } else {
      const asked: Message[] = [...messages, { role: "user", content: text }];
      const reply = await printReply({ ...target, model }, asked);
      // What was stopped is part of the conversation; what failed can be asked again.
      if (reply !== null) messages = [...asked, { role: "assistant", content: reply }];
    }
  }
}

/** The reply, or what there was of it when it was stopped; null when there is none. */
async function printReply(target: ChatTarget, messages: readonly Message[]): Promise<string | null> {
  const { stdout } = process;
  const stopping = new AbortController();
  const stop = () => {
    // The second one.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  };
  process.on("SIGINT", stop);
  let reply = "";
  try {
    for await (const { kind, text } of streamReply(target, messages, stopping.signal)) {
      stdout.write(kind === "reasoning" ? paint("dim", text) : text);
      if (kind === "text") reply += text;
    }
    stdout.write("\n");
  } catch (error) {
    if (stopping.signal.aborted) stdout.write(paint("dim", "\n(stopped)\n"));
    else if (error instanceof UserError) {
      stdout.write(`${reply === "" ? "" : "\n"}${paint("red", "error:")} ${typed(error.message)}\n`);
      if (reply === "") return null;
    } else throw error;
  } finally {
    process.off("SIGINT", stop);
  }
  return reply === "" ? null : reply;
}

async function readAll(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > maxPipedChars) throw new UserError("What is piped in is too long for one message.");
  }
  if (text.trim() === "") throw new UserError("Nothing was piped in.");
  return text;
}
