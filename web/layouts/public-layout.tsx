/** Header and footer of the pages anyone may read. On a phone the links move into a disclosure. */
import { Menu as MenuIcon, X } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { ButtonLink, IconButton } from "../components/controls/button.tsx";
import { OperatorName } from "../components/text/operator-name.tsx";
import { Logo } from "../components/frame/logo.tsx";
import { MaintenanceBanner } from "../components/frame/maintenance-banner.tsx";
import { SkipLink } from "../components/frame/skip-link.tsx";
import { ThemeSwitch } from "../components/controls/theme-switch.tsx";
import { cx } from "../cx.ts";
import { useSite } from "../service/queries.ts";

const links = [
  { href: "/docs", label: "Docs" },
  { href: "/changelog", label: "Changelog" },
  { href: "/status", label: "Status" },
];

export function PublicLayout({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-screen flex-col">
      <SkipLink />
      <MaintenanceBanner />
      <Header />
      {/* The footer starts below the fold, so that it does not move when the page loads. */}
      <main id="main" tabIndex={-1} className="min-h-[calc(100dvh-3.75rem)] flex-1 outline-none">
        {children}
      </main>
      <Footer />
    </div>
  );
}

function Header() {
  const [path] = useLocation();
  const { data: site } = useSite();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-bg/92 backdrop-blur-sm">
      <div className="mx-auto flex h-15 max-w-7xl items-center gap-8 px-5 sm:px-8">
        <Link href="/" aria-label="Sotto, home" className="flex rounded-sm">
          <Logo />
        </Link>
        <nav aria-label="Main" className="hidden gap-1 md:flex">
          {links.map((link) => (
            <NavLink key={link.href} {...link} current={path.startsWith(link.href)} />
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-2">
          <span className="mr-2 hidden md:block">
            <ThemeSwitch />
          </span>
          {/* As wide as its widest variant, so that its neighbours do not move. */}
          <span className="flex h-9 justify-end gap-2 md:min-w-41">
            <Entrance />
          </span>
          <IconButton
            label={open ? "Close menu" : "Open menu"}
            aria-expanded={open}
            aria-controls="public-menu"
            onClick={() => setOpen(!open)}
            className="-mr-2 md:hidden"
          >
            {open ? <X /> : <MenuIcon />}
          </IconButton>
        </div>
      </div>
      {open && (
        <nav id="public-menu" aria-label="Main" className="border-t border-line px-3 py-3 md:hidden">
          {links.map((link) => (
            <NavLink key={link.href} {...link} current={path.startsWith(link.href)} />
          ))}
          {site?.me === null && <NavLink href="/sign-in" label="Sign in" current={false} />}
          <div className="flex items-center justify-between px-3 pt-3 text-sm text-muted">
            Theme <ThemeSwitch />
          </div>
        </nav>
      )}
    </header>
  );
}

/** Links to the dashboard when signed in, otherwise to sign-in and, if open, sign-up. */
function Entrance() {
  const { data: site } = useSite();
  if (site === undefined) return null;
  if (site.me !== null) {
    return (
      <ButtonLink href="/app" variant="primary">
        Dashboard
      </ButtonLink>
    );
  }
  return (
    <>
      <span className={cx("contents", site.signUp === "open" && "max-sm:hidden")}>
        <ButtonLink href="/sign-in" variant={site.signUp === "open" ? "quiet" : "primary"}>
          Sign in
        </ButtonLink>
      </span>
      {site.signUp === "open" && (
        <ButtonLink href="/sign-up" variant="primary">
          Sign up
        </ButtonLink>
      )}
    </>
  );
}

function NavLink({ href, label, current }: { href: string; label: string; current: boolean }) {
  return (
    <Link
      href={href}
      aria-current={current ? "page" : undefined}
      className={cx(
        "block rounded-md px-3 py-2 text-sm transition-colors hover:text-ink md:py-1.5",
        current ? "font-medium text-ink" : "text-muted",
      )}
    >
      {label}
    </Link>
  );
}

function Footer() {
  const { data: site } = useSite();
  return (
    <footer className="mt-24 border-t border-line">
      <div className="mx-auto flex max-w-7xl flex-col gap-8 px-5 py-10 text-sm text-muted sm:px-8 md:flex-row md:items-start md:justify-between">
        <div className="flex flex-col gap-2">
          <Logo />
          <p>Requests are not stored, not logged and not used for training.</p>
          <p className="min-h-lh">
            {site !== undefined && (
              <>
                {site.operator.name !== null && (
                  <>
                    Run by <OperatorName operator={site.operator} /> ·{" "}
                  </>
                )}
                Sotto {site.version}
              </>
            )}
          </p>
        </div>
        <nav
          aria-label="Footer"
          className="grid shrink-0 grid-cols-2 gap-x-8 gap-y-2 whitespace-nowrap sm:grid-cols-3 lg:gap-x-12"
        >
          {footerLinks.map((link) => (
            <Link key={link.href} href={link.href} className="hover:text-ink">
              {link.label}
            </Link>
          ))}
        </nav>
      </div>
    </footer>
  );
}

const footerLinks = [
  { href: "/docs", label: "Quickstart" },
  { href: "/docs/api", label: "API reference" },
  { href: "/docs/privacy", label: "Privacy & trust" },
  { href: "/docs/limits", label: "Limits" },
  { href: "/changelog", label: "Changelog" },
  { href: "/status", label: "Status" },
  { href: "/transparency", label: "Transparency log" },
  { href: "/verify", label: "Verify" },
];
