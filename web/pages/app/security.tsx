import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { Loaded } from "../../components/states/loaded.tsx";
import { useReadAgain } from "../../hooks/use-change.ts";
import { factorQueries, factorApi } from "../../service/factors.ts";
import { queries } from "../../service/queries.ts";
import { plural } from "../../units.ts";
import { AuthenticatorApp, type FactorProps } from "./security/authenticator-app.tsx";
import { NewCodes } from "./security/new-codes.tsx";
import { Passkeys } from "./security/passkeys.tsx";
import { Sessions } from "./security/sessions.tsx";

export default function Security() {
  const client = useQueryClient();
  const read = useQuery(factorQueries.factors);
  const [codes, setCodes] = useState<string[] | null>(null);
  const added = (shown: string[] | null) => {
    setCodes(shown);
    // The account may have had to add one.
    void client.invalidateQueries({ queryKey: queries.site.queryKey });
  };
  return (
    <>
      <PageHeader title="Security" description="How you sign in, and where you are signed in." />
      <div className="flex flex-col gap-6">
        <Loaded query={read} what="your second factors" lines={5} card>
          {(factors) => (
            <>
              <Passkeys factors={factors} onAdded={added} />
              <AuthenticatorApp factors={factors} onAdded={added} />
              <RecoveryCodes factors={factors} onAdded={added} />
            </>
          )}
        </Loaded>
        <Sessions />
      </div>
      {codes !== null && <NewCodes codes={codes} onClose={() => setCodes(null)} />}
    </>
  );
}

function RecoveryCodes({ factors, onAdded }: FactorProps) {
  const readAgain = useReadAgain();
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
      {asking && (
        <ConfirmDialog
          title="Create new codes"
          confirm="Create codes"
          tone="primary"
          onConfirm={async () => {
            const { recoveryCodes } = await factorApi.replaceCodes();
            await readAgain([factorQueries.factors.queryKey]);
            onAdded(recoveryCodes);
          }}
          onClose={() => setAsking(false)}
        >
          You get ten new codes. Your current ones stop working.
        </ConfirmDialog>
      )}
    </Card>
  );
}
