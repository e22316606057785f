/** Tokens a second of a file as it last ran here, kept as a setting so that `sotto models list` can show it. */
import { basename } from "node:path";
import { z } from "zod";
import type { Store } from "../core/ports.js";

const schema = z.object({ tokensPerSecond: z.number().positive(), at: z.coerce.date() });
export type MeasuredSpeed = z.infer<typeof schema>;

const setting = (path: string): string => `speed.${basename(path)}`;

/** For whoever runs the file: one stream's rate of generated tokens. */
export async function noteSpeed(
  store: Pick<Store, "setSetting">,
  path: string,
  measured: MeasuredSpeed,
): Promise<void> {
  await store.setSetting(setting(path), JSON.stringify(measured));
}

export async function readSpeed(
  store: Pick<Store, "getSetting">,
  path: string,
): Promise<MeasuredSpeed | null> {
  const row = await store.getSetting(setting(path));
  if (row === null) return null;
  try {
    return schema.parse(JSON.parse(row));
  } catch {
    return null;
  }
}
