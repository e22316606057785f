/** `sotto proof`: the key that signs statements and receipts, and the log that it signs. */
import type { Command } from "commander";
import { readServiceKey } from "../../adapters/service-key.js";
import type { Config } from "../../config.js";
import { systemClock } from "../../core/clock.js";
import { rotateSigner } from "../../core/proof/rotate-signer.js";
import { SealedSettings } from "../../core/proof/sealed-settings.js";
import { StatementLog } from "../../core/proof/statement-log.js";
import { keyOf } from "../../core/proof/statements.js";
import { UserError } from "../../core/user-error.js";
import type { FullStore } from "../../store/full-store.js";
import { logHeadFile } from "../../store/log-head-file.js";
import { report } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand, withStore } from "../store-command.js";

export function proofCommand(program: Command): void {
  const proof = program.command("proof").description("the signing key of statements, and their log");
  storeCommand(proof, "show", "show the signing key, to publish where users can compare it").action(
    async (_: unknown, command: Command) => {
      const { key, size, lastRestored } = await withStore(command, async (store) => {
        const log = openLog(store, readSettings(command));
        await log.refresh();
        return { key: log.key, size: log.head.size, lastRestored: log.lastRestored };
      });
      if (key === null) throw new UserError("Nothing is signed yet. Start the server first: sotto serve");
      const restored =
        lastRestored === null ? "" : `\nrestored     ${lastRestored.toISOString()}, with entries lost`;
      report(
        command,
        { signing_key: key, entries: size, restored_at: lastRestored },
        `signing key  ${key}\nentries      ${size}${restored}`,
      );
    },
  );
  storeCommand(proof, "rotate-signing-key", "replace the signing key; the old one signs that")
    .addHelpText(
      "after",
      `
Running servers sign with the new key within half a minute. 'sotto verify' follows the rotation by itself; publish the
new key where you published the old one. A key that leaked can sign a rotation of its own: tell your users, too.`,
    )
    .action(async (_: unknown, command: Command) => {
      const settings = readSettings(command);
      const { secretKey, dataDir, proofKeys } = settings.service;
      if (proofKeys === "memory") {
        throw new UserError(
          "The keys are in the server's memory only (SOTTO_PROOF_KEYS): a restart replaces them.",
        );
      }
      const { old, next } = await withStore(command, async (store, record) => {
        const sealed = new SealedSettings(store, readServiceKey(secretKey, dataDir));
        const rotated = await rotateSigner(sealed, openLog(store, settings), systemClock);
        await record("rotated signing key", rotated.next.keyId);
        return rotated;
      });
      report(
        command,
        { signing_key: keyOf(next), replaced: keyOf(old) },
        `The new signing key is\n\n  ${keyOf(next)}\n\nIt replaces ${keyOf(old)}, which signed this.`,
      );
    });
}

const openLog = (store: FullStore, { service }: Config): StatementLog =>
  new StatementLog(store.statementLog, logHeadFile(service.dataDir), systemClock);
