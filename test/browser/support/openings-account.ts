/** What opens over the pages of every account. */
import { asks, dialog, menu, openDialog, press, question, refused, type Opening } from "./opening.js";
import { chooseAction, password, shownSecret } from "./visit.js";

const ofKeys: Opening[] = [
  {
    name: "the menu of a key",
    file: "pages/app/keys/key-table.tsx",
    path: "/app/keys",
    open: menu("Actions for My program"),
  },
  {
    name: "creating a key, and its secret",
    file: "pages/app/keys/issue-key-dialog.tsx",
    path: "/app/keys",
    open: async (page, look) => {
      await openDialog(page, "Create key");
      await look();
      await page.getByLabel("All models").uncheck();
      await page.getByLabel("Set lower limits than my plan’s").check();
      await press(page, "Create key");
      await refused(page);
      await look();
      await page.getByLabel("Name").fill("Another program");
      await press(page, "Create key");
      await shownSecret(page);
      await look();
    },
  },
  {
    name: "creating a key for the operator's API",
    file: "pages/app/keys/issue-key-dialog.tsx",
    path: "/app/keys",
    open: async (page, look) => {
      await openDialog(page, "Create key");
      await page.getByLabel("For the operator’s API").check();
      await look();
      await page.getByLabel("admin:read").uncheck();
      await page.getByLabel("Name").fill("Terraform");
      await press(page, "Create key");
      await refused(page);
      await look();
      await page.getByLabel("admin:write").check();
      await press(page, "Create key");
      await shownSecret(page);
      await look();
    },
  },
  {
    name: "editing a key, one that is refused",
    file: "pages/app/keys/edit-key-dialog.tsx",
    path: "/app/keys",
    open: async (page, look) => {
      await chooseAction(page, "My program", "Edit");
      await dialog(page, "Edit key");
      await look();
      await page.getByLabel("Name").fill("");
      await page.getByLabel("Tags").fill("-wrong");
      await press(page, "Save");
      await refused(page);
      await look();
    },
  },
  {
    name: "rotating a key, and the new secret",
    file: "pages/app/keys/issue-key-dialog.tsx",
    path: "/app/keys",
    open: async (page, look) => {
      await chooseAction(page, "Old program", "Rotate");
      await dialog(page, "Rotate key");
      await look();
      await press(page, "Rotate key");
      await shownSecret(page);
      await look();
    },
  },
  {
    name: "revoking a key",
    file: "pages/app/keys/revoke-key-dialog.tsx",
    path: "/app/keys",
    open: asks("Revoke key", "My program", "Revoke"),
  },
];

const ownMenu = menu(/^Account: /);

const ofOneself: Opening[] = [
  {
    name: "the account's menu",
    file: "layouts/sidebar.tsx",
    path: "/app",
    desk: true,
    open: ownMenu,
  },
  {
    name: "the drawer on a phone, and the menu in it",
    file: "layouts/app-layout.tsx",
    path: "/app",
    phone: true,
    open: async (page, look) => {
      await press(page, "Open menu");
      await dialog(page, "Menu");
      await look();
      await ownMenu(page, look);
    },
  },
  {
    name: "the public menu on a phone",
    file: "layouts/public-layout.tsx",
    path: "/status",
    phone: true,
    open: async (page, look) => {
      await press(page, "Open menu");
      await page.locator("#public-menu").waitFor();
      await look();
    },
  },
  {
    name: "the playground's code",
    file: "pages/app/playground/code-dialog.tsx",
    path: "/app/playground",
    open: async (page, look) => {
      await openDialog(page, "View code");
      await look();
    },
  },
  {
    name: "the playground's menu",
    file: "pages/app/playground.tsx",
    path: "/app/playground",
    open: menu("More"),
  },
  {
    name: "an export of the playground's conversation",
    file: "pages/app/playground/saved/file-dialog.tsx",
    path: "/app/playground",
    open: async (page, look) => {
      await page.getByRole("textbox", { name: "Message" }).fill("hello");
      await press(page, "Send");
      await page.getByRole("button", { name: "Regenerate" }).waitFor();
      await press(page, "More");
      await page.getByRole("menuitem", { name: "Export conversation" }).click();
      await dialog(page, "Export conversation");
      await press(page, "Export");
      await refused(page);
      await look();
    },
  },
  {
    name: "an import into the playground",
    file: "pages/app/playground/saved/import-dialog.tsx",
    path: "/app/playground",
    open: async (page, look) => {
      await press(page, "More");
      await page.getByRole("menuitem", { name: "Import conversation" }).click();
      await dialog(page, "Import conversation");
      await press(page, "Import");
      await refused(page);
      await look();
    },
  },
  {
    name: "the playground's presets",
    file: "pages/app/playground/saved/presets-dialog.tsx",
    path: "/app/playground",
    open: async (page, look) => {
      await openDialog(page, "Presets");
      await page.getByLabel("Save the current settings as").fill("Brief");
      await press(page, "Save");
      await page.getByRole("button", { name: "Use Brief" }).waitFor();
      await look();
    },
  },
  {
    name: "the playground's settings on a phone",
    file: "pages/app/playground/settings-panel.tsx",
    path: "/app/playground",
    phone: true,
    open: async (page, look) => {
      await openDialog(page, "Settings");
      await page.getByRole("textbox", { name: "Max tokens" }).fill("none");
      await refused(page);
      await look();
      await page.getByRole("textbox", { name: "Max tokens" }).fill("");
      await press(page, "Use an example");
      await page.getByRole("textbox", { name: "Tools" }).fill('[{"name": "two words"}]');
      await refused(page);
      await look();
    },
  },
  {
    name: "signing in again over a page whose session expired",
    file: "layouts/session-expired.tsx",
    path: "/app/keys",
    open: async (page, look) => {
      const error = { code: "signed_out", message: "You are signed out." };
      await page.route("**/disable", (route) => route.fulfill({ status: 401, json: { error } }));
      await chooseAction(page, "My program", "Disable");
      await dialog(page, "Sign in");
      await look();
      await page.getByLabel("Password", { exact: true }).fill(`not ${password}`);
      await press(page, "Sign in");
      await refused(page);
      await look();
      await page.getByLabel("Password", { exact: true }).fill(password);
      await press(page, "Sign in");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    },
  },
  {
    name: "signing out everywhere",
    file: "pages/app/account.tsx",
    path: "/app/account",
    open: asks("Sign out everywhere", "Sign out everywhere"),
  },
  {
    name: "deleting the own account, with a wrong password",
    file: "pages/app/account/delete-account.tsx",
    path: "/app/account",
    open: async (page, look) => {
      await press(page, "Delete account…");
      await question(page, "Delete account");
      await look();
      await page.getByLabel("Type delete to confirm").fill("delete");
      await press(page, "Delete account");
      // The only admin stays.
      await refused(page);
      await look();
    },
  },
  {
    name: "unlinking a provider",
    file: "pages/app/account/linked-providers.tsx",
    path: "/app/account",
    open: asks("Unlink provider", "Unlink Office login"),
  },
];

const ofTheDocs: Opening[] = [
  {
    name: "the search in the documentation, empty, with results and without",
    file: "pages/docs/search/search-dialog.tsx",
    path: "/docs",
    open: async (page, look) => {
      await page.getByRole("heading", { name: "Clients" }).waitFor();
      await page.keyboard.press("/");
      await dialog(page, "Search the documentation");
      await look();
      await page.getByRole("combobox").fill("limit");
      await page.getByRole("option").first().waitFor();
      await look();
      await page.getByRole("combobox").fill("nowhere to be found");
      await page.getByText("Nothing found.").waitFor();
      await look();
    },
  },
];

const ofTheFinder: Opening[] = [
  {
    name: "the palette, with pages, results and none",
    file: "find/palette.tsx",
    path: "/app",
    open: async (page, look) => {
      await page.keyboard.press("ControlOrMeta+k");
      await dialog(page, "Find anything");
      await page.getByRole("option").first().waitFor();
      await look();
      await page.getByRole("combobox").fill("limit");
      await page.getByText("Searching accounts…").waitFor({ state: "detached" });
      await page.getByRole("group", { name: "Documentation" }).waitFor();
      await look();
      await page.getByRole("combobox").fill("nowhere to be found");
      await page.getByText("Nothing found for").waitFor();
      await look();
    },
  },
  {
    name: "the sheet of shortcuts",
    file: "find/help-sheet.tsx",
    path: "/app",
    open: async (page, look) => {
      await page.keyboard.press("?");
      await dialog(page, "Keyboard shortcuts");
      await look();
    },
  },
];

const toasts: Opening[] = [
  {
    name: "a toast after something was done",
    file: "components/overlays/toast.tsx",
    path: "/app/keys",
    open: async (page, look) => {
      await chooseAction(page, "My program", "Disable");
      await page.getByText("My program disabled").waitFor();
      await look();
      await chooseAction(page, "My program", "Enable");
      await page.getByText("My program enabled").waitFor();
    },
  },
  {
    name: "a toast after something failed",
    file: "components/overlays/toast.tsx",
    path: "/app/keys",
    open: async (page, look) => {
      const error = { code: "conflict", message: "The key was changed elsewhere. Reload and try again." };
      await page.route("**/disable", (route) => route.fulfill({ status: 409, json: { error } }));
      await chooseAction(page, "My program", "Disable");
      await page.getByText("The key was changed elsewhere.").waitFor();
      await look();
    },
  },
];

export const accountOpenings: readonly Opening[] = [
  ...ofKeys,
  ...ofOneself,
  ...ofTheDocs,
  ...ofTheFinder,
  ...toasts,
];
