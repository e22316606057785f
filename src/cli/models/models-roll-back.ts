/** `sotto models roll-back`: returns to what served a model before its latest change. */
import type { Command } from "commander";
import { requireFree, requirePrevious, storeSource } from "../../models/choice/choose-source.js";
import { describeSource } from "../../models/choice/source.js";
import { parseModel } from "./models-use.js";
import { report } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand, withStore } from "../store-command.js";

export function rollBackCommand(models: Command): void {
  storeCommand(models, "roll-back <model>", "return to what served a model before its latest change").action(
    async (model: string, _options: unknown, command: Command) => {
      const id = parseModel(model);
      requireFree(readSettings(command).models, id);
      const source = await withStore(command, async (store, record) => {
        const previous = await requirePrevious(store, id);
        await storeSource(store, id, previous);
        await record("rolled back model", id);
        return previous;
      });
      report(
        command,
        { model: id, type: source.type, source: describeSource(source) },
        `${id} is served by ${describeSource(source)} again. A running server switches over within seconds.`,
      );
    },
  );
}
