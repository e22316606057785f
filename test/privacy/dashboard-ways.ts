/**
 * Ways in which text reaches the service through the dashboard and must not be kept: searches and filters, input that
 * forms reject, page addresses. As in ways.ts, each resolves with the response if that must not contain the canary.
 */
import { expect } from "vitest";
import type { Browser } from "../support/processes/dashboard-server.js";
import { ask, failed, type Way } from "./ways.js";

const encoded = (query: Record<string, string>): string => new URLSearchParams(query).toString();

/** Sends it, and expects that status. */
async function answer(
  who: Browser,
  status: number,
  method: string,
  path: string,
  body?: unknown,
): Promise<string> {
  const sent = await who.send(method, path, body);
  expect({ path: path.split("?")[0], status: sent.status, text: sent.text }).toMatchObject({ status });
  return sent.text;
}

const day = { from: "2030-01-01T00:00:00Z", to: "2030-01-02T00:00:00Z", step: "hour" };

export const dashboardWays: Record<string, Way> = {
  "a search among keys, as the palette does it": async ({ ada }, canary) => {
    const found = await answer(
      ada,
      200,
      "GET",
      `/api/keys/page?${encoded({ search: canary, status: "all" })}`,
    );
    return (
      found + (await answer(ada, 400, "GET", `/api/keys/page?${encoded({ tag: canary, sort: canary })}`))
    );
  },
  "a search among accounts, as the palette does it": async ({ operator }, canary) =>
    answer(operator, 200, "GET", `/api/admin/accounts?${encoded({ search: canary })}`),
  "pages that were never named": async ({ ada, operator }, canary) => {
    const after = encoded({ after: canary });
    return [
      await answer(ada, 400, "GET", `/api/keys?${after}`),
      await answer(operator, 400, "GET", `/api/admin/accounts?${after}`),
      await answer(ada, 400, "GET", `/api/me/stored/rows?${encoded({ table: canary, after: canary })}`),
    ].join("\n");
  },
  "filters of usage": async ({ ada, operator }, canary) => {
    const account = { ...day, account: canary };
    return [
      await answer(ada, 200, "GET", `/api/usage?${encoded({ ...day, key: canary })}`),
      await answer(ada, 400, "GET", `/api/usage?${encoded({ ...day, model: canary, step: canary })}`),
      await answer(ada, 200, "GET", `/api/usage.csv?${encoded({ ...day, key: canary })}`),
      await answer(operator, 400, "GET", `/api/admin/usage?${encoded(account)}`),
      await answer(operator, 400, "GET", `/api/admin/usage.csv?${encoded({ ...day, key: canary })}`),
      await answer(
        operator,
        400,
        "GET",
        `/api/admin/usage/top?${encoded({ ...account, measure: "tokens" })}`,
      ),
    ].join("\n");
  },
  "filters of the audit trail": async ({ operator }, canary) => {
    const who = encoded({ who: canary });
    return [
      await answer(operator, 400, "GET", `/api/admin/audit?${who}`),
      await answer(operator, 400, "GET", `/api/admin/audit.csv?${who}`),
      await answer(operator, 200, "GET", `/api/admin/audit?${encoded({ account: canary })}`),
      await answer(operator, 400, "GET", `/api/admin/audit?${encoded({ what: canary, from: canary })}`),
    ].join("\n");
  },
  "accounts and keys that do not exist": async ({ ada, operator }, canary) => {
    const id = encodeURIComponent(canary);
    return [
      await answer(operator, 404, "GET", `/api/admin/accounts/${id}`),
      await answer(operator, 404, "GET", `/api/admin/accounts/${id}/keys`),
      await answer(operator, 404, "GET", `/api/admin/accounts/${id}/usage?${encoded(day)}`),
      await answer(operator, 404, "POST", `/api/admin/accounts/${id}/sessions/end`),
      await answer(ada, 404, "POST", `/api/keys/${id}/rotate`, { graceHours: 0 }),
      await answer(operator, 404, "DELETE", `/api/admin/invites/${id}`),
    ].join("\n");
  },
  "an action on accounts that do not exist": async ({ operator }, canary) => {
    // Which of the ids it was is said to who sent them.
    await answer(operator, 200, "POST", "/api/admin/accounts/bulk", { action: "suspend", ids: [canary] });
    return answer(operator, 400, "POST", "/api/admin/accounts/bulk", { action: canary, ids: [canary] });
  },
  "a key that is refused": async ({ ada }, canary) => {
    const key = { name: "laptop", models: null, expiresInDays: null };
    const { key: made } = await ada.post<{ key: { id: string } }>("/api/keys", key);
    const limits = { requestsPerDay: canary, tokensPerMonth: canary };
    const refusals = [
      { ...key, name: canary.repeat(3) },
      { ...key, tags: [canary] },
      { ...key, models: [canary] },
      { ...key, limits },
      { ...key, allowFrom: [canary] },
    ];
    const texts = [];
    for (const body of refusals) {
      texts.push(await answer(ada, 400, "POST", "/api/keys", body));
      texts.push(await answer(ada, 400, "PUT", `/api/keys/${made.id}`, { tags: [], limits: null, ...body }));
    }
    await ada.post(`/api/keys/${made.id}/revoke`);
    return texts.join("\n");
  },
  "a plan with quotas that is refused": async ({ operator }, canary) =>
    answer(operator, 400, "PUT", "/api/admin/plans/gold", {
      ...{ name: canary.repeat(3), requestsPerMinute: canary, tokensPerDay: canary, models: [canary] },
    }),
  "second factors that are refused": async ({ ada }, canary) =>
    [
      await answer(ada, 400, "POST", "/api/me/confirm", { password: canary }),
      await answer(ada, 400, "POST", "/api/me/confirm", { code: canary }),
      await answer(ada, 400, "POST", "/api/me/passkeys", { name: canary, passkey: { id: canary } }),
      await answer(ada, 409, "POST", "/api/sign-in/second-factor", { recoveryCode: canary.slice(0, 40) }),
      await answer(ada, 400, "POST", "/api/sign-in/passkey", { passkey: { id: canary, rawId: canary } }),
      await answer(ada, 404, "POST", `/api/me/sessions/${encodeURIComponent(canary)}/end`),
    ].join("\n"),
  "an invitation that is refused": async ({ ada, operator }, canary) =>
    [
      await answer(ada, 404, "POST", "/api/sign-up/provider", { provider: canary, invite: canary }),
      await answer(operator, 400, "POST", "/api/admin/invites", { email: canary }),
      await answer(operator, 400, "POST", "/api/admin/invites", { planId: canary, expiresInDays: canary }),
    ].join("\n"),
  "a webhook that is refused": async ({ operator }, canary) =>
    [
      await answer(operator, 400, "POST", "/api/admin/webhooks", { url: canary, events: null }),
      await answer(operator, 400, "POST", "/api/admin/webhooks", { url: "http://a.test", events: [canary] }),
    ].join("\n"),
  "the history of the status, and the live hour": async ({ ada, operator }, canary) => {
    const query = encoded({ model: canary, q: canary });
    return [
      await answer(ada, 200, "GET", `/api/status/history?${query}`),
      await answer(operator, 200, "GET", `/api/admin/home?${query}`),
      await answer(operator, 400, "POST", "/api/admin/checklist/mail", { ticked: canary }),
    ].join("\n");
  },
  "what the operator's API refuses": async ({ operator, sotto }, canary) => {
    const key = { name: "terraform", expiresInDays: null, scopes: ["admin:write"] };
    const { secret } = await operator.post<{ secret: string }>("/api/admin/operator-keys", key);
    const send = async (path: string, body: unknown): Promise<Response> =>
      fetch(`${sotto.url}/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    return [
      await failed(await send("/plans", { id: canary, name: canary.repeat(3) }), 400, "invalid_value"),
      await failed(await send("/accounts", { email: canary }), 400, "invalid_value"),
      await failed(await send("/keys", { account: canary, name: canary }), 400, "invalid_value"),
      await failed(await send(`/accounts/${encodeURIComponent(canary)}/suspend`, {}), 404, "not_found"),
      await failed(await send(`/${encodeURIComponent(canary)}`, { text: canary }), 404, "not_found"),
    ].join("\n");
  },
  "the address of a page": async ({ sotto }, canary) => {
    const text = encodeURIComponent(canary);
    const paths = ["/docs", "/docs/api", "/app/connect", "/app/usage", "/app/playground", "/status"];
    for (const path of [...paths, `/admin/accounts/${text}`]) {
      const page = await fetch(`${sotto.url}${path}?q=${text}&key=${text}&search=${text}`);
      expect(page.status).toBe(200);
      const html = await page.text();
      // Its own address may be in the head; nothing of the query is.
      if (!path.includes(text)) expect(html).not.toContain(text);
    }
    return "";
  },
  "two models that are compared": async ({ ada }, canary) => {
    const [one, other] = await Promise.all(
      ["omega", "prism"].map((model) =>
        ada.send("POST", "/api/playground", ask(canary, { model, stream: true })),
      ),
    );
    expect(one?.text).toContain("[DONE]");
    expect(other?.text).toContain("[DONE]");
    return "";
  },
  "a quota that is used up": async ({ sotto, chat }, canary) => {
    const authorization = `Bearer ${await sotto.newKey("--requests-per-day", "1")}`;
    expect((await chat(ask("filler"), { authorization })).status).toBe(200);
    return failed(await chat(ask(canary), { authorization }), 429, "rate_limit_exceeded");
  },
};
