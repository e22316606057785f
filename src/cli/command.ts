/** Commander's command, with what it has for us besides. */
import { Command as Commander } from "commander";

export class Command extends Commander {
  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** What `--help` shows at its end: examples, above all. */
  notes(text: string): this {
    return this.addHelpText("after", text);
  }
}
