/**
 * Who is signed in belongs to the browser, not to a tab. Data read for an account is dropped as soon as its
 * session is known to have ended, and tabs tell each other when someone signs in or out, since the others would
 * otherwise notice only with their next request. Nothing else passes between them.
 */
import type { QueryClient } from "@tanstack/react-query";
import { liftGuard } from "./leave-guard.ts";
import { queries } from "./queries.ts";
import { ApiError } from "./request.ts";

type News = "signed in" | "signed out";

/** What anyone may read. Everything else in the cache belongs to an account. */
const publicKeys: readonly unknown[] = ["site", "status", "models", "changelog", "openapi"];

const tabs = new BroadcastChannel("session");

/** To the other tabs; this one knows. */
export function tellTabs(news: News): void {
  tabs.postMessage(news);
}

export function followTabs(client: QueryClient): void {
  tabs.onmessage = ({ data }: MessageEvent<News>) => {
    // Reloaded rather than emptied: a draft or a secret that is shown once has to go as well.
    if (data === "signed out" && isSignedInPage()) {
      liftGuard();
      location.replace("/sign-in?signed-out");
    } else void client.invalidateQueries({ queryKey: queries.site.queryKey });
  };
}

/** For every failed request: a session that has ended has ended for the whole tab. */
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
