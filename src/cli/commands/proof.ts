/** `sotto proof`: the key that signs statements and receipts, and the log that it signs. */
import type { Command } from "commander";
import { readServiceKey } from "../../adapters/service-key.js";
import { systemClock } from "../../core/clock.js";
import { rotateSigner } from "../../core/proof/rotate-signer.js";
import { SealedSettings } from "../../core/proof/sealed-settings.js";
import { StatementLog } from "../../core/proof/statement-log.js";
import { keyOf } from "../../core/proof/statements.js";
import { UserError } from "../../core/user-error.js";
import { logHeadFile } from "../../store/log-head-file.js";
import { storeCommand, type StoreParts } from "../store-command.js";

export function proofCommand(program: Command): void {
  const proof = program.command("proof").description("the signing key of statements, and their log");
  storeCommand(proof, "show", "show the signing key, to publish where users can compare it").onStore(
    async (parts) => {
      const log = openLog(parts);
      await log.refresh();
      const { key, head, lastRestored } = log;
      if (key === null) throw new UserError("Nothing is signed yet. Start the server first: sotto serve");
      const restored =
        lastRestored === null ? "" : `\nrestored     ${lastRestored.toISOString()}, with entries lost`;
      return [
        { signing_key: key, entries: head.size, restored_at: lastRestored },
        `signing key  ${key}\nentries      ${head.size}${restored}`,
      ];
    },
  );
  storeCommand(proof, "rotate-signing-key", "replace the signing key; the old one signs that")
    .notes(
      `
Running servers sign with the new key within half a minute. 'sotto verify' follows the rotation by itself; publish the
new key where you published the old one. A key that leaked can sign a rotation of its own: tell your users, too.`,
    )
    .onStore(async (parts) => {
      const { store, record, config } = parts;
      const { secretKey, dataDir, proofKeys } = config.service;
      if (proofKeys === "memory") {
        throw new UserError(
          "The keys are in the server's memory only (SOTTO_PROOF_KEYS): a restart replaces them.",
        );
      }
      const sealed = new SealedSettings(store, readServiceKey(secretKey, dataDir));
      const { old, next } = await rotateSigner(sealed, openLog(parts), systemClock);
      await record("rotated signing key", next.keyId);
      return [
        { signing_key: keyOf(next), replaced: keyOf(old) },
        `The new signing key is\n\n  ${keyOf(next)}\n\nIt replaces ${keyOf(old)}, which signed this.`,
      ];
    });
}

const openLog = ({ store, config }: StoreParts): StatementLog =>
  new StatementLog(store.statementLog, logHeadFile(config.service.dataDir), systemClock);
