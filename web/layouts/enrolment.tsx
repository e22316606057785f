/** In place of every signed-in page, for someone who must add a second factor before anything else. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { Button } from "../components/controls/button.tsx";
import { LogoMark } from "../components/frame/logo.tsx";
import { Loaded } from "../components/states/loaded.tsx";
import { useMe } from "../hooks/use-me.ts";
import { useSignOut } from "../hooks/use-sign-out.ts";
import { useTitle } from "../hooks/use-title.ts";
import { AuthenticatorApp } from "../pages/app/security/authenticator-app.tsx";
import { NewCodes } from "../pages/app/security/new-codes.tsx";
import { Passkeys } from "../pages/app/security/passkeys.tsx";
import { factorQueries, requiredBy } from "../service/factors.ts";
import { queries } from "../service/queries.ts";

export default function Enrolment({ onDone }: { onDone: () => void }) {
  useTitle("Add a second factor");
  const client = useQueryClient();
  const signOut = useSignOut();
  const read = useQuery(factorQueries.factors);
  // The codes are shown when nothing is missing any more.
  const { missingFactor } = useMe();
  const [of] = useState(missingFactor?.of ?? "service");
  const [codes, setCodes] = useState<string[] | null>(null);
  const finish = () => void client.invalidateQueries({ queryKey: queries.site.queryKey }).then(onDone);
  return (
    <main id="main" tabIndex={-1} className="mx-auto max-w-2xl px-5 py-12 outline-none">
      <LogoMark className="mx-auto mb-8 h-8" />
      <header className="mb-8 text-center">
        <h1 className="text-2xl">Add a second factor</h1>
        <p className="mt-2 text-muted">
          {requiredBy[of]} requires one besides the password. Add an authenticator app or a passkey to
          continue.
        </p>
      </header>
      <Loaded query={read} what="your second factors" lines={5}>
        {(factors) => (
          <div className="flex flex-col gap-6">
            <AuthenticatorApp
              factors={factors}
              onAdded={(added) => (added === null ? finish() : setCodes(added))}
            />
            <Passkeys factors={factors} onAdded={(added) => (added === null ? finish() : setCodes(added))} />
            <Button variant="quiet" icon={<LogOut />} className="self-center" onClick={signOut}>
              Sign out
            </Button>
          </div>
        )}
      </Loaded>
      {codes !== null && <NewCodes codes={codes} onClose={finish} />}
    </main>
  );
}
