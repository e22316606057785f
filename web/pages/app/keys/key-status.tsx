import type { KeyView } from "../../../../src/protocol/dashboard/api.js";
import { Badge, type Tone } from "../../../components/states/badge.tsx";

/** Whether it will never work again. */
export function hasEnded(key: KeyView): boolean {
  return key.status === "revoked" || key.status === "expired";
}

/** One that is disabled, or being replaced already, cannot be. */
export const canRotate = (key: KeyView): boolean => key.status === "active";

export function KeyStatus({ status }: { status: KeyView["status"] }) {
  const { tone, word } = words[status];
  return (
    <Badge tone={tone} dot={status === "active"}>
      {word}
    </Badge>
  );
}

const words: Record<KeyView["status"], { tone: Tone; word: string }> = {
  active: { tone: "good", word: "Active" },
  disabled: { tone: "neutral", word: "Disabled" },
  expiring: { tone: "warn", word: "Being replaced" },
  expired: { tone: "bad", word: "Expired" },
  revoked: { tone: "bad", word: "Revoked" },
};
