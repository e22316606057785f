/**
 * Who is signed in belongs to the browser, not to a tab. What was read for an account is dropped as soon as its
 * session is known to be over, and tabs tell each other when someone signs in or out, since the others would only
 * learn of it with their next request. Nothing but the word itself passes between them.
 */
import type { QueryClient } from "@tanstack/react-query";
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
    // Loaded again rather than emptied: a draft, a secret that is shown once, all of it has to go.
    if (data === "signed out" && isSignedInPage()) location.replace("/sign-in?signed-out");
    else void client.invalidateQueries({ queryKey: queries.site.queryKey });
  };
}

/** For every failed request: a session that is over is over for the whole tab. */
export function noticeSignOut(client: QueryClient, error: Error): void {
  if (!(error instanceof ApiError) || error.code !== "signed_out") return;
  client.setQueryData(queries.site.queryKey, (site) => site && { ...site, me: null });
  forgetAccount(client);
}

/** In place, so that pages that stay as they are read it again once someone is signed in. */
export function forgetAccount(client: QueryClient): void {
  for (const query of client.getQueryCache().getAll()) {
    if (!publicKeys.includes(query.queryKey[0])) query.reset();
  }
}

function isSignedInPage(): boolean {
  return /^\/(app|admin)\b/.test(location.pathname);
}
