import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ErrorState } from "../../components/states/error-state.tsx";
import { SkeletonLines } from "../../components/states/skeleton.tsx";
import { factorQueries } from "../../service/factors.ts";
import { queries } from "../../service/queries.ts";
import { AuthenticatorApp } from "./security/authenticator-app.tsx";
import { NewCodes } from "./security/new-codes.tsx";
import { Passkeys } from "./security/passkeys.tsx";
import { RecoveryCodes } from "./security/recovery-codes.tsx";
import { Sessions } from "./security/sessions.tsx";

export default function Security() {
  const client = useQueryClient();
  const { data: factors, error, refetch } = useQuery(factorQueries.factors);
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
        {factors === undefined ? (
          <Card>
            {error === null ? (
              <SkeletonLines lines={5} />
            ) : (
              <ErrorState error={error} onRetry={refetch} what="your second factors" />
            )}
          </Card>
        ) : (
          <>
            <Passkeys factors={factors} onAdded={added} />
            <AuthenticatorApp factors={factors} onAdded={added} />
            <RecoveryCodes factors={factors} onAdded={added} />
          </>
        )}
        <Sessions />
      </div>
      {codes !== null && <NewCodes codes={codes} onClose={() => setCodes(null)} />}
    </>
  );
}
