/**
 * The shell of the signed-in pages: navigation at the left, on a phone behind a menu button. Redirects to the sign-in
 * page if no one is signed in, asks for the password again when the session of an open page expires, and shows
 * the admin pages to admins only (the server refuses the others in any case).
 */
import { Menu as MenuIcon, X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { Activity, Fragment, useEffect, useState, type ReactNode } from "react";
import { Link, Redirect, useLocation, useSearch } from "wouter";
import type { Me } from "../../src/protocol/dashboard/api.js";
import { IconButton } from "../components/controls/button.tsx";
import { Callout } from "../components/states/callout.tsx";
import { ErrorState } from "../components/states/error-state.tsx";
import { Time } from "../components/text/time.tsx";
import { Logo } from "../components/frame/logo.tsx";
import { MaintenanceBanner } from "../components/frame/maintenance-banner.tsx";
import { ModalBackdrop } from "../components/overlays/modal-backdrop.tsx";
import { PageLoading } from "../components/states/skeleton.tsx";
import { SkipLink } from "../components/frame/skip-link.tsx";
import { cx } from "../cx.ts";
import { Finder, FindIconButton } from "../find/finder.tsx";
import { MeContext } from "../hooks/use-me.ts";
import { useVisit } from "../hooks/use-visit.ts";
import { lazy } from "../lazy.tsx";
import NotFound from "../pages/not-found.tsx";
import { requiredBy } from "../service/factors.ts";
import { useSite } from "../service/queries.ts";
import { ConfirmIdentity } from "./confirm-identity.tsx";
import { SessionExpired } from "./session-expired.tsx";
import { pagesOf, Sidebar } from "./sidebar.tsx";

// Few ever see it.
const Enrolment = lazy(() => import("./enrolment.tsx"));

export default function AppLayout({ admin = false, children }: { admin?: boolean; children: ReactNode }) {
  const { data: site, error, refetch } = useSite();
  const [path] = useLocation();
  const search = useSearch();
  const visit = useVisit();
  // The account this page belongs to, known from the first response on.
  const [owner, setOwner] = useState<Me | null>(null);
  const [isEnrolling, setEnrolling] = useState(false);
  const now = site?.me ?? null;
  const isSomeoneElse = owner !== null && now !== null && now.account.id !== owner.account.id;
  if (now !== null && now !== owner && !isSomeoneElse) setOwner(now);
  useEffect(() => {
    // Another tab signed in as a different account: this page must not continue.
    if (isSomeoneElse) location.replace("/app");
  }, [isSomeoneElse]);
  if (isSomeoneElse) return <PageLoading />;
  if (site === undefined) {
    return error === null ? (
      <PageLoading />
    ) : (
      <ErrorState error={error} onRetry={refetch} what="the dashboard" />
    );
  }
  const me = now ?? owner;
  if (me === null) {
    const here = search === "" ? path : `${path}?${search}`;
    return <Redirect to={`/sign-in?next=${encodeURIComponent(here)}`} replace />;
  }
  // Until the recovery codes were seen, which come after the factor is there.
  if (me.missingFactor?.isDue === true && !isEnrolling) setEnrolling(true);
  if (isEnrolling && now !== null) {
    return (
      <MeContext value={me}>
        <Enrolment onDone={() => setEnrolling(false)} />
        <ConfirmIdentity />
      </MeContext>
    );
  }
  return (
    <MeContext value={me}>
      {/* While hidden, it keeps its state and stops polling. */}
      <Activity mode={now === null ? "hidden" : "visible"}>
        <Shell me={me}>
          {/* A conversation, a draft or a key that is shown once must not reappear on Back. */}
          <Fragment key={visit}>{admin && me.account.role !== "admin" ? <NotFound /> : children}</Fragment>
        </Shell>
      </Activity>
      {now === null ? <SessionExpired email={me.account.email} /> : <ConfirmIdentity />}
    </MeContext>
  );
}

function Shell({ me, children }: { me: Me; children: ReactNode }) {
  return (
    <Finder links={pagesOf(me)}>
      <SkipLink />
      <PhoneBar me={me} />
      <div className="flex">
        <div className="sticky top-0 z-20 hidden h-screen w-62 shrink-0 border-r border-line lg:block">
          <Sidebar me={me} />
        </div>
        <div className="min-w-0 flex-1">
          <MaintenanceBanner className={contentWidth} />
          <main id="main" tabIndex={-1} className="outline-none">
            <div className={cx(contentWidth, "py-7 lg:py-11")}>
              <FactorNotice me={me} />
              {children}
            </div>
          </main>
        </div>
      </div>
    </Finder>
  );
}

/** While there is time left. */
function FactorNotice({ me: { missingFactor } }: { me: Me }) {
  if (missingFactor === null) return null;
  return (
    <Callout tone="warn" title="Add a second factor" className="mb-6">
      {requiredBy[missingFactor.of]} requires one by <Time at={missingFactor.by} style="moment" />. After that
      you can do nothing else here until you have one.{" "}
      <Link href="/app/security">Add one on the Security page</Link>
    </Callout>
  );
}

const contentWidth = "mx-auto max-w-6xl px-5 sm:px-8 lg:px-12";

function PhoneBar({ me }: { me: Me }) {
  const [open, setOpen] = useState(false);
  const [path] = useLocation();
  useEffect(() => setOpen(false), [path]);
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center justify-between border-b border-line bg-bg px-5 lg:hidden">
      <Link href="/app" aria-label="Sotto, overview" className="flex rounded-sm">
        <Logo />
      </Link>
      <span className="mr-1 ml-auto flex">
        <FindIconButton />
      </span>
      <Radix.Root open={open} onOpenChange={setOpen}>
        <Radix.Trigger asChild>
          <IconButton label="Open menu" className="-mr-2">
            <MenuIcon />
          </IconButton>
        </Radix.Trigger>
        <Radix.Portal>
          <ModalBackdrop>
            <Radix.Content
              aria-describedby={undefined}
              className="relative h-full w-72 animate-rise border-r border-line bg-bg outline-none"
            >
              <Radix.Title className="sr-only">Menu</Radix.Title>
              <Sidebar me={me} />
              <Radix.Close asChild>
                <IconButton label="Close menu" className="absolute top-4 right-3">
                  <X />
                </IconButton>
              </Radix.Close>
            </Radix.Content>
          </ModalBackdrop>
        </Radix.Portal>
      </Radix.Root>
    </header>
  );
}
