/**
 * The documents as a verifier reads them: what it needs is checked, and anything else is left as it came, since hashes
 * and signatures cover all of it.
 */
import * as z from "zod";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
export const hexKey = hash;
const time = z.iso.datetime();
const head = z.looseObject({ size: z.int().min(0), root: hash });

const signatures = z
  .array(z.looseObject({ key: hash, signature: z.string().regex(/^[0-9a-f]{128}$/) }))
  .min(1)
  .max(4);

const part = z.looseObject({
  runs: z.string(),
  name: z.string().nullable().optional(),
  weights: hash.nullable().optional(),
  host: z.string().optional(),
  findings: z.array(z.string()).optional(),
});

export const statementSchema = z.looseObject({
  type: z.literal("statement"),
  time,
  not_after: time,
  log: head,
  signing_key: hash,
  hpke_key: hash.nullable(),
  version: z.string(),
  commit: z.string().nullable(),
  program: hash.nullable(),
  models: z.record(z.string(), z.array(part)),
  switches: z.record(z.string(), z.string()),
  machine: z.record(z.string(), z.string()),
  hardware_evidence: z.unknown(),
});

const keySchema = z.looseObject({ type: z.literal("key"), time, log: head, old_key: hash, new_key: hash });

const restoredSchema = z.looseObject({
  type: z.literal("restored"),
  time,
  log: head,
  previous: head,
  lost: z.int().nullable(),
});

const entrySchema = z.discriminatedUnion("type", [statementSchema, keySchema, restoredSchema]);

const signedEntrySchema = z.looseObject({ entry: entrySchema, signatures });

const signedCheckpointSchema = z.looseObject({
  entry: z.looseObject({ type: z.literal("checkpoint"), time, size: z.int().min(1), root: hash }),
  signatures,
});

export const documentSchema = z.looseObject({
  statement: z.looseObject({ entry: statementSchema, signatures }),
  index: z.int().min(0),
  checkpoint: signedCheckpointSchema,
  inclusion: z.array(hash).max(64),
});

export const pageSchema = z.looseObject({
  from: z.int(),
  size: z.int(),
  entries: z.array(signedEntrySchema).max(100),
});

export const consistencySchema = z.looseObject({ proof: z.array(hash).max(128) });

export type WireStatement = z.infer<typeof statementSchema>;
export type WireSignedEntry = z.infer<typeof signedEntrySchema>;
export type WireDocument = z.infer<typeof documentSchema>;
export type WirePart = z.infer<typeof part>;
