/** What opens on the Security page. The service is played for where something real would change for the others. */
import type { Page } from "playwright-core";
import { asks, dialog, press, question, refused, type Opening } from "./opening.js";
import { password } from "./visit.js";

const path = "/app/security";

/** An account with a passkey and an app, whatever it has. */
async function withFactors(page: Page): Promise<void> {
  const since = "2026-01-02T03:04:05.000Z";
  const passkey = {
    id: "0123456789abcdef",
    name: "Laptop",
    isSynced: true,
    createdAt: since,
    lastUsedAt: null,
  };
  const factors = {
    totpSince: since,
    passkeys: [passkey],
    recoveryCodes: 3,
    hasPassword: true,
    providers: [],
  };
  await page.route("**/api/me/factors", (route) => route.fulfill({ json: factors }));
  await page.reload();
  await page.getByText("3 codes left").waitFor();
}

export const securityOpenings: readonly Opening[] = [
  {
    name: "setting up an authenticator app, with a wrong code",
    file: "pages/app/security/authenticator-app.tsx",
    path,
    open: async (page, look) => {
      await press(page, "Set up an app");
      await dialog(page, "Set up an authenticator app");
      await look();
      await page.getByLabel("Code", { exact: true }).fill("12");
      await press(page, "Turn on");
      await refused(page);
      await look();
    },
  },
  {
    name: "removing an authenticator app",
    file: "pages/app/security/authenticator-app.tsx",
    path,
    open: async (page, look) => {
      await withFactors(page);
      await asks("Remove authenticator app", "Remove app…")(page, look);
    },
  },
  {
    name: "new recovery codes",
    file: "pages/app/security/new-codes.tsx",
    path,
    open: async (page, look) => {
      await withFactors(page);
      const recoveryCodes = Array.from({ length: 10 }, (_, index) => `abcd-efgh-jkmn-pqr${index}`);
      await page.route("**/api/me/recovery-codes", (route) => route.fulfill({ json: { recoveryCodes } }));
      await press(page, "Create new codes…");
      await question(page, "Create new codes");
      await press(page, "Create codes");
      await dialog(page, "Save your recovery codes");
      await look();
    },
  },
  {
    name: "the question before new recovery codes",
    file: "pages/app/security.tsx",
    path,
    open: async (page, look) => {
      await withFactors(page);
      await asks("Create new codes", "Create new codes…")(page, look);
    },
  },
  {
    name: "renaming and removing a passkey",
    file: "pages/app/security/passkeys.tsx",
    path,
    open: async (page, look) => {
      await withFactors(page);
      await press(page, "Rename Laptop");
      await dialog(page, "Rename passkey");
      await look();
      await press(page, "Cancel");
      await press(page, "Remove Laptop");
      await question(page, "Remove passkey");
      await look();
    },
  },
  {
    name: "signing out other browsers",
    file: "pages/app/security/sessions.tsx",
    path,
    open: asks("Sign out other browsers", "Sign out others…"),
  },
  {
    name: "confirming who one is, with a wrong password",
    file: "layouts/confirm-identity.tsx",
    path,
    open: async (page, look) => {
      // The factors of the openings before it are still shown.
      await page.reload();
      const error = { code: "confirmation_required", message: "Confirm that it is you, then try again." };
      await page.route("**/api/me/totp", (route) => route.fulfill({ status: 403, json: { error } }));
      await press(page, "Set up an app");
      await dialog(page, "Confirm that it is you");
      await page.getByLabel("Password", { exact: true }).waitFor();
      await look();
      await page.getByLabel("Password", { exact: true }).fill(`not ${password}`);
      await press(page, "Confirm");
      await refused(page);
      await look();
      // It would stay over the next page.
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    },
  },
];
