/**
 * Everything there is to look at: each page as each kind of person sees it, the states that need a step to get to, and
 * what opens over the pages, by the lists that the tests of accessibility go through as well.
 */
import type { Page } from "playwright-core";
import { pageAddresses } from "../../src/protocol/pages/page-addresses.js";
import type { DeliveryPage, DeliveryView, WebhookView } from "../../src/protocol/dashboard/webhooks.js";
import { accountOpenings } from "../../test/browser/support/openings-account.js";
import { adminOpenings } from "../../test/browser/support/openings-admin.js";
import { securityOpenings } from "../../test/browser/support/openings-security.js";
import { teamOpenings } from "../../test/browser/support/openings-teams.js";
import { longQuestion, question } from "./past.js";
import type { people } from "./made-up-service.js";

export interface View {
  /** Of its files. */
  name: string;
  /** Null for a visitor who is not signed in. */
  as: keyof typeof people | null;
  path: string;
  /** Only a small screen has it. */
  phone?: boolean;
  /** Only a large screen has it. */
  desk?: boolean;
  /** The window as it is, rather than the page in full length: for what floats. */
  window?: boolean;
  /** Leads to the state, and looks at each one it passes; without it the page is looked at as it is. */
  open?: (page: Page, look: () => Promise<void>) => Promise<void>;
}

const nameOf = (path: string) => (path === "/" ? "landing" : path.slice(1).replaceAll(/[^a-z0-9]+/gi, "-"));

/** Too long for one picture: its beginning, and some of what is behind it. */
async function inScreens(page: Page, look: () => Promise<void>): Promise<void> {
  for (const part of [0, 0.1, 0.4, 0.7, 1]) {
    await page.evaluate(`scrollTo(0, ${part} * document.documentElement.scrollHeight)`);
    await look();
  }
}

const isOpen = (path: string) => !/^\/(app|admin)\b/.test(path);

const publicPages = [...pageAddresses.filter(isOpen), "/no-such-page"].map((path): View => ({
  name: `public-${nameOf(path)}`,
  as: null,
  path,
  ...(path === "/docs/api" && { window: true, open: inScreens }),
}));

const ownPages = (["newcomer", "returning"] as const).flatMap((as) =>
  pageAddresses
    .filter((path) => path.startsWith("/app") && !path.includes(":"))
    .map((path): View => ({ name: `${as}-${nameOf(path)}`, as, path })),
);

/** `/admin` alone leads on to the first of its pages; the page of an account takes its id. */
const adminPages = ["/app", ...pageAddresses.filter((path) => /^\/admin\/[^:]+$/.test(path))].map(
  (path): View => ({ name: `admin-${nameOf(path)}`, as: "admin", path }),
);

/** A step, and then a look. */
const after = (step: (page: Page) => Promise<unknown>): NonNullable<View["open"]> => {
  return async (page, look) => {
    await step(page);
    await look();
  };
};

/** The page as it is when the service answers so. */
const answering = (address: string, status: number, json: object): NonNullable<View["open"]> =>
  after(async (page) => {
    await page.route(address, (route) => route.fulfill({ status, json }));
    await page.reload();
    await page.locator("h1").first().waitFor();
  });
const broken = { error: { code: "internal_error", message: "Something went wrong. Try again." } };

/** The service is played for where a step would change something for the views after it. */
const secondSteps = (["passkey", "totp", "recovery"] as const).map((method): View => ({
  name: `public-sign-in-second-${method}`,
  as: null,
  path: "/sign-in",
  open: after(async (page) => {
    const methods = [method, ...(["passkey", "totp", "recovery"] as const).filter((one) => one !== method)];
    await page.route("**/api/sign-in", (route) =>
      route.fulfill({ json: { next: "second_factor", methods } }),
    );
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill("any password");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Second step" }).waitFor();
  }),
}));

const signInStates: View[] = [
  ...secondSteps,
  { name: "public-sign-in-problem", as: null, path: "/sign-in?problem=no_account" },
  { name: "public-confirmed-problem", as: null, path: "/sign-in/confirmed?problem=someone_else" },
  {
    name: "public-join-account",
    as: null,
    path: "/sign-in/join",
    open: answering("**/api/sign-in/join", 200, {
      join: { email: "ada@example.com", provider: "Office login" },
    }),
  },
  { name: "public-join-team", as: null, path: "/join#token=made-up" },
  {
    name: "join-team",
    as: "newcomer",
    path: "/join#token=made-up",
    open: after(async (page) => {
      const invitation = { id: "made-up", name: "Office", role: "member" };
      await page.route("**/api/team-invitation", (route) => route.fulfill({ json: invitation }));
      // Opened once more: the link has left the address.
      await page.goto("about:blank");
      await page.goto("/join#token=made-up");
      await page.getByRole("button", { name: "Join Office" }).waitFor();
    }),
  },
  { name: "join-team-gone", as: "newcomer", path: "/join#token=made-up" },
];

/** Someone who has everything, and someone who must add something. */
const factors = {
  ...{ totpSince: "2026-03-04T05:06:07.000Z", recoveryCodes: 8, hasPassword: true, providers: ["office"] },
  passkeys: ["Laptop", "Security key on the key ring, for emergencies"].map((name, index) => ({
    ...{ id: `${index}123456789abcdef`, name, isSynced: index === 0 },
    ...{ createdAt: "2026-02-03T04:05:06.000Z", lastUsedAt: index === 0 ? "2026-04-05T06:07:08.000Z" : null },
  })),
};

const missingFactor = (isDue: boolean): NonNullable<View["open"]> =>
  after(async (page) => {
    const by = new Date(Date.now() + (isDue ? -1 : 7) * 24 * 60 * 60_000).toISOString();
    await page.route("**/api/site", async (route) => {
      const site = (await (await route.fetch()).json()) as { me: object };
      await route.fulfill({
        json: { ...site, me: { ...site.me, missingFactor: { by, of: "team", isDue } } },
      });
    });
    await page.reload();
    await page.getByText("Add a second factor").first().waitFor();
  });

const securityStates: View[] = [
  {
    name: "security-with-factors",
    as: "admin",
    path: "/app/security",
    open: answering("**/api/me/factors", 200, factors),
  },
  { name: "security-notice", as: "newcomer", path: "/app", open: missingFactor(false) },
  { name: "security-enrolment", as: "newcomer", path: "/app", open: missingFactor(true) },
  {
    name: "security-confirm-choices",
    as: "admin",
    path: "/app/security",
    window: true,
    open: after(async (page) => {
      await page.route("**/api/me/factors", (route) => route.fulfill({ json: factors }));
      const error = { code: "confirmation_required", message: "Confirm that it is you, then try again." };
      await page.route("**/api/me/recovery-codes", (route) =>
        route.fulfill({ status: 403, json: { error } }),
      );
      await page.reload();
      await page.getByRole("button", { name: "Create new codes…" }).click();
      await page.getByRole("button", { name: "Create codes" }).click();
      await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
    }),
  },
];

/** By the switch in the sidebar: the address has the team's id. */
const inTeam = (as: View["as"], team: string, link: string | null): View => ({
  name: `team-${as}-${nameOf(`/${team.slice(0, 8)}`)}${link === null ? "" : `-${nameOf(`/${link}`)}`}`.toLowerCase(),
  as,
  path: "/app",
  open: after(async (page) => {
    await page.getByRole("button", { name: /^Space:/ }).click();
    await page.getByRole("menuitem", { name: team }).click();
    await page.getByRole("heading", { name: "Members" }).waitFor();
    if (link !== null) await page.getByRole("link", { name: link, exact: true }).click();
  }),
});

const teamStates: View[] = [
  ...([null, "Keys", "Usage", "Playground", "Limits"] as const).flatMap((link) => [
    inTeam("admin", "Office", link),
    inTeam("returning", "Office", link),
  ]),
  inTeam("returning", "Research", null),
  {
    name: "admin-team",
    as: "admin",
    path: "/admin/teams",
    open: after(async (page) => {
      await page.getByRole("link", { name: "Office" }).click();
      await page.getByRole("heading", { name: "Members" }).waitFor();
    }),
  },
];

/** The forms that a link leads to. */
const linkedForms: View[] = [
  { name: "public-reset-by-link", as: null, path: "/reset#token=made-up" },
  { name: "public-sign-up-invited", as: null, path: "/sign-up#invite=made-up&email=new@example.com" },
  {
    name: "public-sign-in-refused",
    as: null,
    path: "/sign-in",
    open: after(async (page) => {
      await page.getByLabel("Email").fill("nobody@example.com");
      await page.getByLabel("Password", { exact: true }).fill("a wrong password");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("alert").first().waitFor();
    }),
  },
];

async function ask(page: Page, text = question): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}
const answered = async (page: Page, replies = 1) => {
  await ask(page);
  await page
    .getByText(/tokens in, \d+ out/)
    .nth(replies - 1)
    .waitFor();
};

const ownStates: View[] = [
  { name: "usage-30-days", as: "returning", path: "/app/usage?period=30d" },
  {
    name: "usage-custom",
    as: "returning",
    path: "/app/usage",
    open: after((page) => page.getByText("Custom", { exact: true }).click()),
  },
  {
    name: "usage-tables",
    as: "returning",
    path: "/app/usage?period=7d",
    open: after(async (page) => {
      for (const part of await page.getByText("As a table").all()) await part.click();
    }),
  },
  { name: "keys-all", as: "returning", path: "/app/keys?status=all&sort=name" },
  { name: "keys-by-tag", as: "returning", path: "/app/keys?tag=production&search=bot" },
  { name: "keys-none-found", as: "returning", path: "/app/keys?search=nothing-like-it" },
  {
    name: "keys-failed",
    as: "returning",
    path: "/app/keys",
    open: answering("**/api/keys/page*", 500, broken),
  },
  {
    name: "usage-failed",
    as: "returning",
    path: "/app/usage",
    open: answering("**/api/usage?*", 500, broken),
  },
  { name: "playground-reply", as: "returning", path: "/app/playground", window: true, open: after(answered) },
  {
    name: "playground-table-and-code",
    as: "returning",
    path: "/app/playground",
    open: after(async (page) => {
      await ask(page, longQuestion);
      await page.getByText(/tokens in, \d+ out/).waitFor();
    }),
  },
  {
    name: "playground-comparison",
    as: "returning",
    path: "/app/playground",
    window: true,
    open: async (page, look) => {
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByText("Ask both").waitFor();
      await look();
      await answered(page, 2);
      await look();
    },
  },
  {
    name: "playground-tools",
    as: "returning",
    path: "/app/playground",
    window: true,
    open: after((page) => page.getByRole("button", { name: "Use an example" }).click()),
  },
  {
    name: "playground-limited",
    as: "limited",
    path: "/app/playground",
    window: true,
    open: after(async (page) => {
      await answered(page);
      await ask(page);
      await page.getByRole("button", { name: /^Retry/ }).waitFor();
    }),
  },
  {
    name: "playground-leaving",
    as: "returning",
    path: "/app/playground",
    window: true,
    open: after(async (page) => {
      await page.getByRole("textbox", { name: "Message" }).fill("half a thought");
      await page.getByRole("link", { name: "Usage" }).first().click();
      await page.getByRole("alertdialog").waitFor();
    }),
  },
  {
    name: "toast",
    as: "returning",
    path: "/app/keys?search=Mobile",
    window: true,
    open: async (page, look) => {
      await page.getByRole("button", { name: "Actions for Mobile app" }).click();
      await page.getByRole("menuitem", { name: /able$/ }).click();
      await page.getByRole("status").filter({ hasText: /able/ }).first().waitFor();
      await look();
    },
  },
];

/** Nobody waits three days for them. */
const failedDeliveries = after(async (page) => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000).toISOString();
  const webhook = { description: "", events: null, createdAt: daysAgo(40), off: null, failingSince: null };
  const webhooks: WebhookView[] = [
    {
      ...{ ...webhook, id: "one", url: "https://hooks.example.com/sotto/production/alerts" },
      ...{ off: { at: daysAgo(1), reason: "failing" }, failingSince: daysAgo(4) },
    },
    { ...webhook, id: "two", url: "https://example.org/events", events: ["quota.reached", "engine.down"] },
  ];
  const delivery = {
    ...{ webhookId: "one", nextAt: null, attempts: 9, error: null, responseStatus: null },
    ...({ state: "failed", lastAt: daysAgo(1), durationMs: 412 } as const),
  };
  const deliveries: DeliveryView[] = [
    {
      ...{ ...delivery, id: "1", webhookId: "two", type: "quota.reached", createdAt: daysAgo(0.1) },
      ...{ state: "waiting", attempts: 4, responseStatus: 503, nextAt: daysAgo(-0.01) },
    },
    {
      ...delivery,
      id: "2",
      type: "engine.down",
      createdAt: daysAgo(2),
      error: "timeout",
      durationMs: 10_000,
    },
    { ...delivery, id: "3", type: "team.member_changed", createdAt: daysAgo(2.1), responseStatus: 500 },
    { ...delivery, id: "4", type: "webhook.test", createdAt: daysAgo(2.2), error: "secret_unreadable" },
  ];
  await page.route("**/api/admin/webhooks", (route) => route.fulfill({ json: { webhooks } }));
  const history: DeliveryPage = { deliveries, next: "4" };
  await page.route("**/api/admin/webhook-deliveries*", (route) => route.fulfill({ json: history }));
  await page.reload();
  await page.getByText("team.member_changed").first().waitFor();
});

const adminStates: View[] = [
  { name: "admin-webhooks-failed", as: "admin", path: "/admin/webhooks", open: failedDeliveries },
  {
    name: "admin-account",
    as: "admin",
    path: "/admin/accounts?search=ada",
    open: after(async (page) => {
      await page.getByRole("link", { name: "ada@example.com" }).click();
      await page.getByRole("heading", { level: 1, name: "ada@example.com" }).waitFor();
    }),
  },
  {
    name: "admin-account-unused",
    as: "admin",
    path: "/admin/accounts?search=newcomer",
    open: after(async (page) => {
      await page.getByRole("link", { name: "newcomer@example.com" }).click();
      await page.getByRole("heading", { level: 1, name: "newcomer@example.com" }).waitFor();
    }),
  },
  {
    name: "admin-alert-handled",
    as: "admin",
    path: "/app",
    open: after(async (page) => {
      await page.getByRole("button", { name: /^Move grace/ }).click();
      await page
        .getByRole("button", { name: /^Undo: / })
        .first()
        .waitFor();
    }),
  },
  { name: "admin-accounts-none-found", as: "admin", path: "/admin/accounts?search=nobody-like-it" },
  { name: "admin-audit-none-found", as: "admin", path: "/admin/audit?who=nobody@example.com" },
  {
    name: "admin-invitations-none",
    as: "admin",
    path: "/admin/accounts?tab=invitations",
    open: answering("**/api/admin/invites", 200, { invites: [] }),
  },
  {
    name: "admin-changelog-none",
    as: "admin",
    path: "/admin/changelog",
    open: answering("**/api/changelog", 200, { entries: [] }),
  },
  {
    name: "admin-accounts-failed",
    as: "admin",
    path: "/admin/accounts",
    open: answering("**/api/admin/accounts*", 500, broken),
  },
  { name: "admin-required-factor", as: "admin", path: "/admin/accounts?tab=second-factor" },
  { name: "admin-invitations", as: "admin", path: "/admin/accounts?tab=invitations" },
  {
    name: "admin-accounts-selected",
    as: "admin",
    path: "/admin/accounts",
    window: true,
    open: after((page) => page.getByLabel("Select all on this page").check()),
  },
  { name: "admin-maintenance", as: "admin", path: "/admin/maintenance" },
  { name: "admin-usage-30-days", as: "admin", path: "/admin/usage?period=30d&measure=tokens" },
  { name: "admin-quickstart", as: "admin", path: "/app?quickstart" },
];

const openings = [...accountOpenings, ...securityOpenings, ...teamOpenings, ...adminOpenings].map(
  (opening): View => {
    const { name, path, phone = false, desk = false } = opening;
    return {
      name: `opened-${nameOf(`/${name}`)}`,
      as: "admin",
      path,
      phone,
      desk,
      window: true,
      open: (page, look) => opening.open(page, look),
    };
  },
);

export const views: readonly View[] = [
  ...publicPages,
  ...linkedForms,
  ...signInStates,
  ...securityStates,
  ...ownPages,
  ...adminPages,
  ...ownStates,
  ...teamStates,
  ...adminStates,
  ...openings,
];
