import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { FactorsView } from "../../../../src/protocol/dashboard/factors.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { factorApi, factorQueries } from "../../../service/factors.ts";
import { plural } from "../../../units.ts";

interface RecoveryCodesProps {
  factors: FactorsView;
  onAdded: (codes: string[] | null) => void;
}

export function RecoveryCodes({ factors, onAdded }: RecoveryCodesProps) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  if (factors.totpSince === null && factors.passkeys.length === 0) return null;
  return (
    <Card
      title="Recovery codes"
      description="For when you lose your second factor: each signs you in once, after the password."
    >
      <div className="flex flex-wrap items-center justify-between gap-4">
        <p>{plural(factors.recoveryCodes, "code")} left</p>
        <Button onClick={() => setAsking(true)}>Create new codes…</Button>
      </div>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Create new codes"
        confirm="Create codes"
        tone="primary"
        onConfirm={async () => {
          const { recoveryCodes } = await factorApi.replaceCodes();
          await client.invalidateQueries({ queryKey: factorQueries.factors.queryKey });
          onAdded(recoveryCodes);
        }}
      >
        You get ten new codes. Your current ones stop working.
      </ConfirmDialog>
    </Card>
  );
}
