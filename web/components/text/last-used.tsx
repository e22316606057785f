import type { KeyView } from "../../../src/protocol/dashboard/api.js";
import { Day } from "./day.tsx";

/** The day of a key's last use, in UTC, and the model. Nothing finer is kept. */
export function LastUsed({ day, model = null }: { day: string | null; model?: KeyView["lastUsedModel"] }) {
  if (day === null) return <span className="text-muted">Never</span>;
  return (
    <span className="flex flex-col">
      <Day on={day} />
      {model !== null && <span className="text-sm text-muted">{model}</span>}
    </span>
  );
}
