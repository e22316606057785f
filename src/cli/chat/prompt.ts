/**
 * What a person types: a line, or several where they are pasted or a line ends in a backslash. A new line editor for
 * each question, with the history in memory only: between two, Ctrl-C is a signal, and what is typed waits in the
 * terminal.
 */
import { createInterface, emitKeypressEvents } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** The terminal marks what is pasted, so that its line breaks do not send it. */
const markPastes = "\u001b[?2004h";
const unmarkPastes = "\u001b[?2004l";

export class Prompt {
  #history: string[] = [];

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    private readonly question: string,
  ) {}

  /** Null when the person leaves: Ctrl-D, or Ctrl-C on an empty line. */
  ask(): Promise<string | null> {
    const { input, output } = this;
    const lines: string[] = [];
    let isPasting = false;
    const editor = createInterface({
      input,
      output,
      prompt: this.question,
      history: this.#history,
      terminal: true,
    });
    emitKeypressEvents(input);
    const onKey = (_: unknown, key: { name?: string } | undefined) => {
      if (key?.name === "paste-start") isPasting = true;
      if (key?.name === "paste-end") isPasting = false;
    };
    input.on("keypress", onKey);
    output.write(markPastes);
    editor.prompt();
    return new Promise((resolve) => {
      const end = (text: string | null) => {
        input.off("keypress", onKey);
        output.write(unmarkPastes);
        resolve(text);
        editor.close();
      };
      editor.on("history", (history) => (this.#history = history));
      editor.on("line", (line) => {
        const continues = !isPasting && line.endsWith("\\");
        lines.push(continues ? line.slice(0, -1) : line);
        if (isPasting || continues) return;
        const text = lines.splice(0).join("\n");
        if (text.trim() === "") editor.prompt();
        else end(text);
      });
      editor.on("SIGINT", () => {
        output.write("\n");
        if (editor.line === "" && lines.length === 0) {
          end(null);
          return;
        }
        lines.length = 0;
        editor.write(null, { ctrl: true, name: "e" });
        editor.write(null, { ctrl: true, name: "u" });
        editor.prompt();
      });
      editor.on("close", () => end(null));
    });
  }
}

/** A line that is not shown. Null when the person leaves. */
export async function askSecret(input: Readable, output: Writable, question: string): Promise<string | null> {
  output.write(question);
  const silent = createInterface({ input, terminal: true });
  try {
    return await new Promise((resolve) => {
      silent.on("line", (line) => resolve(line.trim()));
      silent.on("SIGINT", () => resolve(null));
      silent.on("close", () => resolve(null));
    });
  } finally {
    silent.close();
    output.write("\n");
  }
}
