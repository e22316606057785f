import { Link, Redirect, useSearchParams } from "wouter";
import { api } from "../service/api.ts";
import { EntryForm } from "../components/controls/entry-form.tsx";
import { FormAside, FormHeading } from "../components/controls/form-heading.tsx";
import { useEntry } from "../hooks/use-entry.ts";
import { useSite } from "../service/queries.ts";

export default function SignIn() {
  const [search] = useSearchParams();
  const { data: site } = useSite();
  const signIn = useEntry(api.signIn);
  if (site?.me != null) return <Redirect to={safeNext(search.get("next"))} replace />;
  return (
    <>
      <FormHeading title="Sign in">{reasonOf(search)}</FormHeading>
      <EntryForm
        password="current-password"
        passwordAside={
          <Link href="/reset" className="hover:text-ink hover:underline">
            Forgot password?
          </Link>
        }
        submit="Sign in"
        pending={signIn.isPending}
        error={signIn.error}
        onSubmit={signIn.mutate}
      />
      {site?.signUp === "open" && (
        <FormAside>
          No account yet? <Link href="/sign-up">Create one</Link>
        </FormAside>
      )}
    </>
  );
}

/** Why this page opened by itself. */
function reasonOf(search: URLSearchParams): string | undefined {
  if (search.has("signed-out")) return "You signed out in another tab.";
  return search.has("next") ? "Sign in to continue." : undefined;
}

/** Where to go after signing in: only ever to a signed-in page of ours, with the filters it had. */
function safeNext(next: string | null): string {
  return next !== null && /^\/(app|admin)(\/[\w/-]*)?(\?[\w=&%.+-]*)?$/.test(next) ? next : "/app";
}
