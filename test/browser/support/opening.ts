/**
 * What opens over a page of the dashboard: where it is, how a person opens it, and the states it passes through.
 * `look` is called in each of them. Files are named so that a test can see that none with a dialog or a menu is
 * missing from the lists.
 */
import type { Page } from "playwright-core";
import { chooseAction } from "./visit.js";

type Look = () => Promise<void>;

export interface Opening {
  name: string;
  /** Below web/. */
  file: string;
  path: string;
  /** Only a small screen has it. */
  phone?: true;
  /** Only a large screen has it: what the sidebar opens is in a drawer elsewhere. */
  desk?: true;
  open(page: Page, look: Look): Promise<void>;
}

/** Of two buttons of one name, the one in the dialog: it stands last on the page. */
export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole("button", { name, exact: true }).last().click();

export const dialog = (page: Page, name: string): Promise<void> =>
  page.getByRole("dialog", { name, exact: true }).waitFor();

/** By the button that has its name. */
export const openDialog = async (page: Page, name: string): Promise<void> => {
  await press(page, name);
  await dialog(page, name);
};

export const question = (page: Page, name: string): Promise<void> =>
  page.getByRole("alertdialog", { name, exact: true }).waitFor();

/** Until something that was entered is refused. */
export const refused = (page: Page): Promise<void> => page.getByRole("alert").first().waitFor();

/** A menu that a button opens, with the pointer on its last item. */
export const menu = (button: string | RegExp) => async (page: Page, look: Look) => {
  await press(page, button);
  await page.getByRole("menu").waitFor();
  await page.getByRole("menuitem").last().hover();
  await look();
};

/** A question that a button opens, or an item of something's menu. */
export const asks =
  (name: string, ...[first, item]: [button: string] | [of: string, item: string]) =>
  async (page: Page, look: Look) => {
    await (item === undefined ? press(page, first) : chooseAction(page, first, item));
    await question(page, name);
    await look();
  };
