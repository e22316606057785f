/** What opens over the operator's pages. */
import type { Page } from "playwright-core";
import { asks, dialog, menu, openDialog, press, question, refused, type Opening } from "./opening.js";
import { chooseAction } from "./visit.js";

const ofAccounts: Opening[] = [
  {
    name: "the menu of an account",
    file: "pages/admin/accounts/account-table.tsx",
    path: "/admin/accounts",
    open: menu("Actions for ada@example.com"),
  },
  ...[
    { name: "Suspend account", of: "ada@example.com", item: "Suspend" },
    { name: "Resume account", of: "eve@example.com", item: "Resume" },
    { name: "Make admin", of: "ada@example.com", item: "Make admin" },
    { name: "Delete account", of: "ada@example.com", item: "Delete" },
  ].map(({ name, of, item }) => ({
    name: `the question "${name}"`,
    file: "pages/admin/accounts/account-dialog.tsx",
    path: "/admin/accounts",
    open: asks(name, of, item),
  })),
  ...[
    { name: "Change plan", button: "Change plan…" },
    { name: "Suspend accounts", button: "Suspend…" },
    { name: "Resume accounts", button: "Resume…" },
  ].map(({ name, button }) => ({
    name: `the question "${name}" for several accounts`,
    file: "pages/admin/accounts/bulk-dialog.tsx",
    path: "/admin/accounts",
    open: async (page: Page, look: () => Promise<void>) => {
      await page.getByLabel("Select all on this page").check();
      await press(page, button);
      await page.getByRole(name === "Change plan" ? "dialog" : "alertdialog", { name }).waitFor();
      await look();
    },
  })),
  {
    name: "revoking an invitation",
    file: "components/overlays/invitations.tsx",
    path: "/admin/accounts?tab=invitations",
    open: async (page, look) => {
      await page
        .getByRole("button", { name: /^Revoke the invitation/ })
        .first()
        .click();
      await question(page, "Revoke invitation");
      await look();
    },
  },
  {
    name: "revoking a key of an account",
    file: "pages/app/keys/revoke-key-dialog.tsx",
    path: "/admin/accounts?search=ada",
    open: async (page, look) => {
      await page.getByRole("link", { name: "ada@example.com" }).click();
      await page
        .getByRole("button", { name: /^Revoke / })
        .first()
        .click();
      await question(page, "Revoke key");
      await look();
    },
  },
  {
    name: "the operator's name and contact",
    file: "pages/admin/home/operator-card.tsx",
    path: "/app",
    open: async (page, look) => {
      await page.getByRole("region", { name: "Operator" }).getByRole("button", { name: "Edit…" }).click();
      await page.getByRole("dialog", { name: "Operator" }).waitFor();
      await look();
    },
  },
  {
    name: "signing an account out everywhere",
    file: "pages/admin/account/account-sessions.tsx",
    path: "/admin/accounts?search=ada",
    open: async (page, look) => {
      await page.getByRole("link", { name: "ada@example.com" }).click();
      await asks("Sign out everywhere", "Sign out everywhere…")(page, look);
    },
  },
  {
    name: "changing the plan of an account",
    file: "pages/admin/accounts/account-dialog.tsx",
    path: "/admin/accounts",
    open: async (page, look) => {
      await chooseAction(page, "ada@example.com", "Change plan");
      await dialog(page, "Change plan");
      await page.getByText("requests and").waitFor();
      await look();
    },
  },
  {
    name: "a reset link, and the link",
    file: "pages/admin/accounts/account-dialog.tsx",
    path: "/admin/accounts",
    open: async (page, look) => {
      await chooseAction(page, "ada@example.com", "Password reset");
      await dialog(page, "Password reset link");
      await look();
      await press(page, "Create link");
      await page.getByText(/\/reset#token=/).waitFor();
      await look();
    },
  },
  {
    name: "an invitation, one that is refused, and the link",
    file: "pages/admin/accounts/invite-dialog.tsx",
    path: "/admin/accounts",
    open: async (page, look) => {
      await openDialog(page, "Invite");
      await page.getByLabel("Email").fill("no address");
      await press(page, "Create link");
      await refused(page);
      await look();
      await page.getByLabel("Email").fill("new@example.com");
      await press(page, "Create link");
      await page.getByText("Invitation for new@example.com").waitFor();
      await look();
    },
  },
];

const ofPlans: Opening[] = [
  {
    name: "a new plan, refused for want of everything",
    file: "pages/admin/plans/plan-form.tsx",
    path: "/admin/plans",
    open: async (page, look) => {
      await openDialog(page, "Create plan");
      await page.getByLabel("All models").uncheck();
      await press(page, "Create plan");
      await refused(page);
      await look();
    },
  },
  {
    name: "editing a plan",
    file: "pages/admin/plans/plan-form.tsx",
    path: "/admin/plans",
    open: async (page, look) => {
      await press(page, "Edit Team");
      await dialog(page, "Edit plan");
      await look();
    },
  },
  {
    name: "deleting a plan",
    file: "pages/admin/plans.tsx",
    path: "/admin/plans",
    open: asks("Delete plan", "Delete Team"),
  },
];

const ofNews: Opening[] = [
  {
    name: "a new entry, refused without a title, and its preview",
    file: "pages/admin/entry-editor.tsx",
    path: "/admin/changelog",
    open: async (page, look) => {
      await openDialog(page, "New entry");
      await press(page, "Publish");
      await refused(page);
      await look();
      await page.getByLabel("Text", { exact: true }).fill("By **a lot**, see [the docs](/docs).");
      await press(page, "Preview");
      await page.getByText("a lot").waitFor();
      await look();
    },
  },
  {
    name: "deleting an entry",
    file: "pages/admin/changelog.tsx",
    path: "/admin/changelog",
    open: asks("Delete entry", "Delete Faster replies"),
  },
  {
    name: "scheduling maintenance, refused without a title",
    file: "pages/admin/maintenance/maintenance-editor.tsx",
    path: "/admin/maintenance",
    open: async (page, look) => {
      await openDialog(page, "Schedule maintenance");
      await look();
      await press(page, "Schedule");
      await refused(page);
      await look();
    },
  },
  {
    name: "calling maintenance off",
    file: "pages/admin/maintenance.tsx",
    path: "/admin/maintenance",
    open: async (page, look) => {
      await asks("Call off maintenance", "Call off")(page, look);
    },
  },
];

const toTab = (page: Page, name: string) => page.getByRole("tab", { name }).click();

const ofModels: Opening[] = [
  {
    name: "what can answer for a model, from everywhere, and what is refused",
    file: "pages/admin/models/change-dialog.tsx",
    path: "/admin/models",
    open: async (page, look) => {
      await press(page, "Change model of omega");
      await dialog(page, "Change omega");
      await page.getByRole("list", { name: "Catalogue" }).waitFor();
      await look();
      await toTab(page, "Files");
      await page.getByLabel("Path to a GGUF file").fill("/nothing.gguf");
      await press(page, "Use this file");
      await refused(page);
      await look();
      await toTab(page, "Download");
      await page.getByLabel("Hugging Face").fill("https://example.com/model.gguf");
      await press(page, "Download");
      await refused(page);
      await look();
      await toTab(page, "Engine");
      await page.getByLabel("Address", { exact: true }).fill("http://169.254.169.254/v1");
      await press(page, "Check engine");
      await page.getByText("Cannot be used").first().waitFor();
      await look();
    },
  },
  {
    name: "rolling a model back",
    file: "pages/admin/models.tsx",
    path: "/admin/models",
    open: asks("Roll back model", "Roll back prism"),
  },
  {
    name: "a pull that failed, and cancelling it",
    file: "pages/admin/models.tsx",
    path: "/admin/models",
    open: async (page, look) => {
      await page.getByRole("alert").first().waitFor();
      await look();
      await asks("Cancel download", "Cancel hf:acme/tiny-GGUF")(page, look);
    },
  },
];

const ofWebhooks: Opening[] = [
  {
    name: "a webhook that is refused, and the secret of one that is created",
    file: "pages/admin/webhooks/webhook-dialog.tsx",
    path: "/admin/webhooks",
    open: async (page, look) => {
      await openDialog(page, "Create webhook");
      await page.getByLabel("All events").uncheck();
      await page.getByLabel("Address").fill("http://169.254.169.254/");
      await press(page, "Create webhook");
      await refused(page);
      await look();
      await page.getByLabel("Address").fill("http://127.0.0.1:1/new");
      await press(page, "Create webhook");
      await page.getByText(/whsec_/).waitFor();
      await look();
    },
  },
  {
    name: "the menu of a webhook",
    file: "pages/admin/webhooks.tsx",
    path: "/admin/webhooks",
    open: menu("Actions for http://127.0.0.1:1/hook"),
  },
  {
    name: "a new secret of a webhook",
    file: "pages/admin/webhooks/webhook-dialog.tsx",
    path: "/admin/webhooks",
    open: async (page, look) => {
      await chooseAction(page, "http://127.0.0.1:1/hook", "Rotate secret");
      await dialog(page, "Rotate secret");
      await look();
      await press(page, "Rotate secret");
      await page.getByText(/whsec_/).waitFor();
      await look();
    },
  },
  {
    name: "deleting a webhook",
    file: "pages/admin/webhooks.tsx",
    path: "/admin/webhooks",
    open: asks("Delete webhook", "http://127.0.0.1:1/hook", "Delete"),
  },
];

const ofSignIn: Opening[] = [
  {
    name: "a new provider, refused without an id, and one that cannot be reached",
    file: "pages/admin/sign-in/provider-form.tsx",
    path: "/admin/sign-in",
    open: async (page, look) => {
      await openDialog(page, "Add provider");
      await press(page, "Add provider");
      await refused(page);
      await look();
      await page.getByLabel("Name", { exact: true }).fill("Another login");
      await page.getByLabel("Issuer").fill("https://169.254.169.254");
      await page.getByLabel("Client id").fill("sotto");
      await page.getByLabel("Who gets an account").selectOption("domains");
      await page.getByLabel("Groups claim").fill("groups");
      await press(page, "Add group");
      await page.getByLabel("Group 1", { exact: true }).fill("staff");
      await press(page, "Test");
      await page.getByText("The test failed").waitFor();
      await look();
    },
  },
  {
    name: "deleting a provider",
    file: "pages/admin/sign-in.tsx",
    path: "/admin/sign-in",
    open: asks("Delete provider", "Delete Office login"),
  },
];

export const adminOpenings: readonly Opening[] = [
  ...ofAccounts,
  ...ofPlans,
  ...ofNews,
  ...ofModels,
  ...ofWebhooks,
  ...ofSignIn,
];
