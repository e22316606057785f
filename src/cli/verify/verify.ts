/**
 * `sotto verify`: checks a service from outside, and receipts offline. It needs no account, no settings and no data
 * directory; it is also built as a program of its own (src/verify.ts).
 *
 * Ends with 0 where everything holds, 1 where something does not, 2 where it could not be checked.
 */
import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { modelWords } from "../../protocol/proof/changes.js";
import { receiptIn, verifyReceipt, type ReceiptVerification } from "../../protocol/proof/receipt.js";
import {
  documentSchema,
  hexKey,
  type WireDocument,
  type WireStatement,
} from "../../protocol/proof/shapes.js";
import { baseOf, CannotVerify, verifyService, type Verification } from "../../protocol/proof/verify.js";
import type { Command } from "../command.js";
import { environmentOf } from "../environment.js";
import { endWith, exitCodeOf } from "../exit-codes.js";
import { paint } from "../terminal.js";
import { VerifyMemory } from "./verify-memory.js";

const mostFileBytes = 256 * 1024 * 1024;

interface VerifyOptions {
  pin?: string;
  json?: boolean;
  forget?: boolean;
  receipt?: string;
  request?: string;
  response?: string;
  statement?: string;
}

export function verifyCommand(program: Command): void {
  describeVerify(program.command("verify"));
}

/** Makes the command out of `command`, which may be a whole program. */
export function describeVerify(command: Command): void {
  command
    .description("check what a service proves about itself, or a receipt of it")
    .argument("[url]", "where the service is, such as https://sotto.example")
    .option("--pin <key>", "the service's signing key, as its operator published it")
    .option("--forget", "forget what was pinned of the service, and pin it again")
    .option(
      "--receipt <file>",
      "check this receipt, without asking the service ('-' takes it from --response)",
    )
    .option("--request <file>", "the body of the request that it is for")
    .option("--response <file>", "the body of the reply that it is for")
    .option("--statement <file>", "the statement that it names, as saved from /.well-known/sotto.json")
    .option("--json", "print one line of JSON instead of text")
    .notes(
      `
Examples:
  sotto verify https://sotto.example              pins the keys at first use, then compares with the last check
  sotto verify https://sotto.example --pin 8f3a…  with a key that you know from elsewhere
  sotto verify https://sotto.example --receipt receipt.txt --request request.json --response reply.json

Ends with 0 when everything holds, 1 when something does not, 2 when it could not be checked. What is pinned is in
verify.json, in $XDG_CONFIG_HOME/sotto or ~/.config/sotto.`,
    )
    .action(async (url: string | undefined, options: VerifyOptions) => {
      const memory = new VerifyMemory(environmentOf(command));
      const isReceipt = [options.receipt, options.request, options.response].some(
        (file) => file !== undefined,
      );
      try {
        if (options.pin !== undefined && !hexKey.safeParse(options.pin).success)
          throw new CannotVerify("--pin takes a key of 64 hexadecimal characters.");
        const holds = isReceipt
          ? checkReceipt(url, options, memory)
          : await checkService(url, options, memory);
        if (!holds) throw endWith(1);
      } catch (error) {
        if (!(error instanceof CannotVerify)) throw error;
        if (options.json === true) console.log(JSON.stringify({ ok: null, error: error.message }));
        else console.error(`${paint("yellow", "NOT CHECKED", "stderr")}  ${error.message}`);
        throw endWith(2);
      }
    });
}

/** As `runProgram` of the whole program, without what that needs to explain the errors of a server. */
export async function runAlone(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await program.exitOverride().parseAsync(argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOf(error);
    console.error(`error: ${error instanceof Error ? error.message : "unknown error"}`);
    return 2;
  }
}

async function checkService(
  url: string | undefined,
  { pin, json, forget }: VerifyOptions,
  memory: VerifyMemory,
): Promise<boolean> {
  if (url === undefined) throw new CannotVerify("Name the service: sotto verify https://sotto.example");
  const base = baseOf(url);
  const remembered = forget === true ? null : memory.read(base);
  const result = await verifyService(base, { remembered, pin: pin ?? null });
  if (result.remembered !== null) memory.write(base, result.remembered);
  const isOk = result.refused === null;
  if (json === true) {
    const { refused, passed, warnings, changes, statement } = result;
    const since = remembered?.since ?? null;
    console.log(
      JSON.stringify({ ok: isOk, url: base, since, refused, passed, warnings, changes, statement }),
    );
  } else
    console.log(describeService(base, result, { isFirst: remembered === null, isPinned: pin !== undefined }));
  return isOk;
}

function describeService(
  base: string,
  { refused, passed, warnings, changes, statement }: Verification,
  { isFirst, isPinned }: { isFirst: boolean; isPinned: boolean },
): string {
  const verdict =
    refused === null
      ? `${paint(["green", "bold"], "VERIFIED")}  ${base}`
      : `${paint(["red", "bold"], "REFUSED")}  ${base}: ${refused.text}`;
  const lines = [verdict, "", ...passed.map((text) => `  ${paint("green", "ok")}    ${text}`)];
  for (const text of warnings) lines.push(`  ${paint("yellow", "note")}  ${text}`);
  if (refused !== null) lines.push(`  ${paint("red", "FAIL")}  ${refused.text}`);
  if (changes !== null) {
    lines.push("", changes.length === 0 ? "Nothing changed since the last check." : "Since the last check:");
    lines.push(...changes.map((text) => `  - ${text}`));
  }
  if (statement !== null && isFirst) lines.push("", "The service states:", ...stated(statement));
  if (refused === null && isFirst && !isPinned) {
    lines.push(
      "",
      "This was the first check: its key is pinned now. Compare it with what the operator publishes elsewhere.",
    );
  }
  return lines.join("\n");
}

const stated = ({ version, commit, program, models, switches, machine }: WireStatement): string[] => [
  `  version     ${version}${commit === null ? "" : `, commit ${commit}`}`,
  `  program     ${program ?? "runs from its sources"}`,
  ...Object.entries(models).map(([model, parts]) => `  ${model.padEnd(10)}  ${modelWords(parts)}`),
  `  switched    ${pairs(switches)}`,
  `  machine     ${pairs(machine)}`,
  "  hardware    no evidence: whoever controls the machine can read its memory",
];

const pairs = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`)
    .join(", ");

function checkReceipt(url: string | undefined, options: VerifyOptions, memory: VerifyMemory): boolean {
  const { request, response } = options;
  if (request === undefined || response === undefined)
    throw new CannotVerify("A receipt needs --request and --response, too.");
  const reply = readBytes(response, "--response");
  const receipt =
    options.receipt === undefined || options.receipt === "-"
      ? receiptIn(reply)
      : new TextDecoder().decode(readBytes(options.receipt, "--receipt"));
  if (receipt === null) throw new CannotVerify("There is no receipt in the reply. Give it with --receipt.");
  const statement = options.statement === undefined ? null : readStatement(options.statement);
  const known = url === undefined ? [] : (memory.read(baseOf(url))?.keys ?? []);
  const pinned = options.pin === undefined ? known : [options.pin];
  const keys = pinned.length > 0 || statement === null ? pinned : [statement.entry.signing_key];
  if (keys.length === 0) {
    throw new CannotVerify(
      "No key is known to check it with. Give --pin, --statement, or the address of a service that was verified before.",
    );
  }
  const result = verifyReceipt({
    receipt,
    request: readBytes(request, "--request"),
    response: reply,
    keys,
    statement,
  });
  if (options.json === true) console.log(JSON.stringify({ ok: result.refused === null, ...result }));
  else console.log(describeReceipt(result, pinned.length > 0));
  return result.refused === null;
}

function describeReceipt({ refused, claims }: ReceiptVerification, isPinned: boolean): string {
  if (refused !== null || claims === null)
    return `${paint(["red", "bold"], "REFUSED")}  ${refused?.text ?? "This is not a receipt."}`;
  const lines = [
    `${paint(["green", "bold"], "VERIFIED")}  The service signed exactly this request and this reply.`,
    "",
    `  model      ${claims.model}`,
    `  weights    ${claims.weights ?? "not stated"}`,
    `  statement  ${claims.statement ?? "not stated"}`,
    `  time       ${new Date(claims.iat * 1000).toISOString()}`,
    `  nonce      ${claims.nonce}`,
  ];
  if (!isPinned)
    lines.push("", "The key comes from the statement itself: pin it with --pin, or verify the service.");
  return lines.join("\n");
}

function readStatement(file: string): WireDocument["statement"] {
  try {
    return documentSchema.parse(JSON.parse(new TextDecoder().decode(readBytes(file, "--statement"))))
      .statement;
  } catch (error) {
    if (error instanceof CannotVerify) throw error;
    throw new CannotVerify(`${file} (--statement) is not a statement, as /.well-known/sotto.json has it.`);
  }
}

function readBytes(file: string, option: string): Uint8Array {
  try {
    const bytes = readFileSync(file);
    if (bytes.length <= mostFileBytes) return bytes;
  } catch {
    throw new CannotVerify(`${file} (${option}) cannot be read.`);
  }
  throw new CannotVerify(`${file} (${option}) is too large.`);
}
