/** One form in the middle of a quiet page: sign-up, sign-in, setup, reset. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { LogoMark } from "../components/frame/logo.tsx";
import { MaintenanceBanner } from "../components/frame/maintenance-banner.tsx";
import { ThemeSwitch } from "../components/controls/theme-switch.tsx";

export function FormLayout({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-screen flex-col">
      <MaintenanceBanner />
      <main
        id="main"
        tabIndex={-1}
        className="flex flex-1 flex-col items-center px-5 pt-[12vh] pb-12 outline-none"
      >
        <Link href="/" aria-label="Sotto, home" className="mb-8 rounded-md">
          <LogoMark className="h-8" />
        </Link>
        <div className="w-full max-w-sm">{children}</div>
      </main>
      <footer className="flex flex-wrap items-center justify-center gap-x-6 gap-y-3 px-5 pb-8 text-sm text-muted">
        <Link href="/docs" className="hover:text-ink">
          Docs
        </Link>
        <Link href="/docs/privacy" className="hover:text-ink">
          Privacy & trust
        </Link>
        <Link href="/status" className="hover:text-ink">
          Status
        </Link>
        <ThemeSwitch />
      </footer>
    </div>
  );
}
