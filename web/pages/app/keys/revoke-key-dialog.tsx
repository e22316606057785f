import type { KeyView } from "../../../../src/protocol/dashboard/api.js";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { queries } from "../../../service/queries.ts";

interface RevokeKeyDialogProps {
  apiKey: KeyView;
  onClose: () => void;
  revoke: () => Promise<unknown>;
  /** What shows it. */
  queryKey?: readonly string[];
}

export function RevokeKeyDialog({
  apiKey,
  onClose,
  revoke,
  queryKey = queries.keys.queryKey,
}: RevokeKeyDialogProps) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Revoke key"
      onConfirm={() => revoke()}
      done={`${apiKey.name} revoked`}
      reads={[queryKey]}
    >
      Requests with <strong className="font-medium wrap-anywhere text-ink">{apiKey.name}</strong>, ending in{" "}
      <code className="font-mono text-ink">{apiKey.lastFour}</code>, will be refused immediately. This cannot
      be undone.
    </ConfirmDialog>
  );
}
