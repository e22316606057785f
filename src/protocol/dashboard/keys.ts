/** Keys in the dashboard's API beside creating and ending them: finding one among many, and editing it. */
import * as z from "zod";
import { keyDays, keyLimits, keyNetworks, line, noPage, oneModel, someModels, type KeyView } from "./api.js";
import { longest, mostTags } from "../../core/bounds.js";
import type { ArrivedRequest } from "../../core/keys/connection-tests.js";
import type { KeyPage } from "../../core/keys/key-list.js";

const searched = z.string("Enter what to look for.").max(200, "Use at most 200 characters.");

const keySorts = ["newest", "oldest", "name", "used", "unused", "expiry"] as const;

/** GET /api/keys/page → KeyPageView */
export const keysQuery = z.object({
  search: searched.default(""),
  status: z
    .enum(
      ["working", "all", "active", "expiring", "disabled", "expired", "revoked"],
      "Choose working, all, active, expiring, disabled, expired or revoked.",
    )
    .default("working"),
  model: oneModel.optional(),
  tag: z.string("Choose a tag.").max(longest.tag, "There is no such tag.").optional(),
  sort: z.enum(keySorts, `Choose one of ${keySorts.join(", ")}.`).default("newest"),
  page: z.coerce.number(noPage).int(noPage).min(0, noPage).max(1_000, noPage).default(0),
});

/** A key as others refer to it. */
export type KeyReference = Pick<KeyView, "id" | "name" | "lastFour">;

export interface ListedKeyView extends KeyView {
  /** The key it took the place of by a rotation, and the one that took its place. */
  replaces: KeyReference | null;
  replacedBy: KeyReference | null;
}

export interface KeyPageView extends Omit<KeyPage, "keys"> {
  keys: ListedKeyView[];
}

/** PUT /api/keys/:id → KeyView; 409 once it has ended */
export const editKeyBody = z.object({
  name: line("a name", longest.keyName),
  models: someModels,
  /** Below the plan's; null where the plan's alone count. */
  limits: keyLimits.nullable(),
  /** From now on; null for never, absent where the expiry stays as it is. */
  expiresInDays: keyDays.optional(),
  tags: z
    .array(
      z.string("Write tags as words.").max(longest.tag, `A tag has at most ${longest.tag} characters.`),
      "Give the key's tags, or none.",
    )
    .max(mostTags, `Use at most ${mostTags} tags.`),
  /** Null for any; absent where they stay as they are. */
  allowFrom: keyNetworks,
});

/** GET /api/keys/usage: of the last seven days. Keys that were not used are left out. */
export interface KeyUsageView {
  from: string;
  keys: { keyId: string; requests: number; tokens: number }[];
}

/** POST /api/connection-test begins one, GET reads it. `leftMs` is null where none is open. */
export interface ConnectionTestView {
  leftMs: number | null;
  /** The oldest first. */
  requests: readonly ArrivedRequest[];
}
