import { PageHeader } from "../../components/frame/page-header.tsx";
import { useMe } from "../../hooks/use-me.ts";
import { ChangePassword } from "./account/change-password.tsx";
import { DeleteAccount } from "./account/delete-account.tsx";
import { Identity } from "./account/identity.tsx";
import { StoredAboutYou } from "./account/stored-about-you.tsx";

export default function Account() {
  const me = useMe();
  return (
    <>
      <PageHeader title="Account" description="Your sign-in, and what is stored about you." />
      <div className="flex flex-col gap-6">
        <Identity me={me} />
        <ChangePassword email={me.account.email} />
        <StoredAboutYou />
        <DeleteAccount email={me.account.email} />
      </div>
    </>
  );
}
