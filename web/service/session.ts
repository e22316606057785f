/**
 * Sessions belong to the browser, not to a tab. An account's data is dropped as soon as its session is known to have
 * ended, and tabs notify each other of sign-ins and sign-outs, which the others would otherwise notice only with
 * their next request. Nothing else is exchanged between them.
 */
import type { QueryClient } from "@tanstack/react-query";
import { liftGuard } from "./leave-guard.ts";
import { queries } from "./queries.ts";
import { ApiError } from "./request.ts";

type News = "signed in" | "signed out";

/** Public queries. Everything else in the cache belongs to an account. */
const publicKeys: readonly unknown[] = [
  ...["site", "status", "models", "changelog", "openapi"],
  ...["statement-log", "statement-state", "pending-join"],
];

const tabs = new BroadcastChannel("session");

/** Notifies the other tabs. */
export function tellTabs(news: News): void {
  tabs.postMessage(news);
}

export function followTabs(client: QueryClient): void {
  tabs.onmessage = ({ data }: MessageEvent<News>) => {
    // Reloaded rather than cleared: drafts and secrets on the page must go as well.
    if (data === "signed out" && isSignedInPage()) {
      liftGuard();
      location.replace("/sign-in?signed-out");
    } else void client.invalidateQueries({ queryKey: queries.site.queryKey });
  };
}

/** For every failed request: an expired session ends for the whole tab. */
export function noticeSignOut(client: QueryClient, error: Error): void {
  if (!(error instanceof ApiError) || error.code !== "signed_out") return;
  client.setQueryData(queries.site.queryKey, (site) => site && { ...site, me: null });
  forgetAccount(client);
}

/** In place, so that mounted pages read it again once someone is signed in. */
export function forgetAccount(client: QueryClient): void {
  for (const query of client.getQueryCache().getAll()) {
    if (!publicKeys.includes(query.queryKey[0])) query.reset();
  }
}

function isSignedInPage(): boolean {
  return /^\/(app|admin)\b/.test(location.pathname);
}
