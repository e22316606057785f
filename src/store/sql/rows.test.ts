import { expect, it } from "vitest";
import { fromRow, toRow } from "./rows.js";

const entity = {
  ...{ id: "1", displayName: null, lastFour: "abcd", durationMs: 12 },
  ...{ hash: Uint8Array.of(1, 2), createdAt: new Date(5), failingSince: new Date(6), retryUntil: null },
  ...{ isSynced: true, canSync: false, requiresEncryption: true },
};
const row = {
  ...{ id: "1", display_name: null, last_four: "abcd", duration_ms: 12 },
  ...{ hash: Uint8Array.of(1, 2), created_at: 5, failing_since: 6, retry_until: null },
  ...{ is_synced: 1, can_sync: 0, requires_encryption: 1 },
};

it("writes an entity as a row", () => {
  expect(toRow(entity)).toEqual(row);
  expect(toRow({ email: undefined })).toEqual({ email: null });
});

it("reads the row as it was", () => {
  expect(fromRow<typeof entity>(row)).toEqual(entity);
});

it("reads bytes as libsql gives them", () => {
  const { buffer } = Uint8Array.of(1, 2);
  expect(fromRow<{ hash: Uint8Array }>({ hash: buffer as unknown as Uint8Array })).toEqual({
    hash: Uint8Array.of(1, 2),
  });
});
