import { useQueryClient } from "@tanstack/react-query";
import type { KeyView } from "../../../../src/protocol/dashboard/api.js";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
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
  const client = useQueryClient();
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Revoke key"
      confirm="Revoke key"
      onConfirm={async () => {
        await revoke();
        toast(`${apiKey.name} revoked`);
        await client.invalidateQueries({ queryKey });
      }}
    >
      Requests with <strong className="font-medium wrap-anywhere text-ink">{apiKey.name}</strong>, ending in{" "}
      <code className="font-mono text-ink">{apiKey.lastFour}</code>, will be refused immediately. This cannot
      be undone.
    </ConfirmDialog>
  );
}
