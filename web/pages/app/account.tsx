import { PageHeader } from "../../components/frame/page-header.tsx";
import { useMe } from "../../hooks/use-me.ts";
import { useSite } from "../../service/queries.ts";
import { ChangePassword } from "./account/change-password.tsx";
import { DeleteAccount } from "./account/delete-account.tsx";
import { EmailAddress } from "./account/email-address.tsx";
import { CachedNow } from "./account/cached-now.tsx";
import { Identity } from "./account/identity.tsx";
import { LinkedProviders } from "./account/linked-providers.tsx";
import { StoredAboutYou } from "./account/stored-about-you.tsx";
import { OwnTeams } from "./account/teams.tsx";
import { VerifyAddress } from "./account/verify-address.tsx";

export default function Account() {
  const me = useMe();
  const { data: site } = useSite();
  return (
    <>
      <PageHeader title="Account" description="Your sign-in, and what is stored about you." />
      <div className="flex flex-col gap-6">
        <VerifyAddress />
        <Identity me={me} />
        <OwnTeams />
        <EmailAddress email={me.account.email} />
        <LinkedProviders />
        {site?.signIn !== "oidc" && <ChangePassword email={me.account.email} />}
        <CachedNow />
        <StoredAboutYou />
        <DeleteAccount email={me.account.email} />
      </div>
    </>
  );
}
