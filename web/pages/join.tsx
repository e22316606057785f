/** Where an invitation into a team leads. Nothing happens until a button is pressed. */
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { Button, ButtonLink } from "../components/controls/button.tsx";
import { FormAside, FormHeading } from "../components/controls/form-heading.tsx";
import { Callout } from "../components/states/callout.tsx";
import { SkeletonLines } from "../components/states/skeleton.tsx";
import { formError } from "../form-errors.ts";
import { useChange, useReadAgain } from "../hooks/use-change.ts";
import { useFragmentValue } from "../hooks/use-fragment-value.ts";
import { useSite } from "../service/queries.ts";
import { teamApi } from "../service/teams.ts";

export default function Join() {
  const token = useFragmentValue("token") ?? "";
  const { data: site } = useSite();
  const isSignedIn = site?.me != null;
  return (
    <>
      <FormHeading title="Join a team">
        You share the limits of the team and see what it uses. Your own account stays as it is.
      </FormHeading>
      {token === "" ? (
        <Callout tone="warn" title="The link is incomplete">
          Copy all of it, or ask for a new one.
        </Callout>
      ) : site === undefined ? (
        <SkeletonLines lines={3} />
      ) : isSignedIn ? (
        <Invitation token={token} />
      ) : (
        <div className="flex flex-col gap-5">
          <Callout title="Sign in first">
            Sign in to your account, or create one, and then open this link again.
          </Callout>
          <ButtonLink href="/sign-in" variant="primary" size="lg" className="w-full">
            Sign in
          </ButtonLink>
        </div>
      )}
      {isSignedIn && (
        <FormAside>
          <Link href="/app">Go to your account</Link>
        </FormAside>
      )}
    </>
  );
}

function Invitation({ token }: { token: string }) {
  const [, navigate] = useLocation();
  const { data, error } = useQuery({
    queryKey: ["team-invitation"],
    queryFn: () => teamApi.look(token),
    gcTime: 0,
    retry: false,
  });
  const readAgain = useReadAgain();
  const accept = useChange(() => teamApi.accept(token), {
    onDone: async ({ id }) => {
      await readAgain([["teams"]]);
      navigate(`/app/teams/${id}`);
    },
  });
  const decline = useChange(() => teamApi.decline(token), { onDone: () => navigate("/app") });
  const failure = formError(accept.error ?? decline.error ?? error);
  const isPending = accept.isPending || decline.isPending;
  if (data === undefined) {
    return failure === undefined ? <SkeletonLines lines={3} /> : <Callout tone="bad">{failure}</Callout>;
  }
  return (
    <div className="flex flex-col gap-5">
      <p>
        You are invited to <strong className="font-medium wrap-anywhere">{data.name}</strong> as{" "}
        {/^[ao]/.test(data.role) ? "an" : "a"} {data.role}.
      </p>
      {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      <Button
        variant="primary"
        size="lg"
        className="w-full"
        pending={accept.isPending}
        disabled={isPending}
        onClick={() => accept.mutate()}
      >
        Join {data.name}
      </Button>
      <Button
        size="lg"
        className="w-full"
        pending={decline.isPending}
        disabled={isPending}
        onClick={() => decline.mutate()}
      >
        Decline
      </Button>
    </div>
  );
}
