/**
 * What ⌘K can do: by name ("create key"), or by a verb and what it is done to ("revoke …ja2T", "suspend x@y"). Each is
 * offered where its page offers it, and opens the dialog of that page (task-dialog.tsx).
 */
import { Ban, Boxes, CirclePause, CirclePlay, Construction, Copy, KeyRound, Layers } from "lucide-react";
import { LogOut, MailPlus, Monitor, Moon, Pencil, Plus, RefreshCw, Sun } from "lucide-react";
import type { ReactNode } from "react";
import type { ModelView } from "../../src/core/model-views.js";
import type { AccountView } from "../../src/protocol/dashboard/api.js";
import type { ListedKeyView } from "../../src/protocol/dashboard/keys.js";
import { baseUrl } from "../base-url.ts";
import type { Theme } from "../hooks/use-theme.ts";
import { canRotate, hasEnded } from "../pages/app/keys/key-status.tsx";
import type { AccountTask } from "../pages/admin/accounts/account-dialog.tsx";
import type { Findable } from "./match.ts";

/** What is done in a dialog. */
export type Task =
  | { type: "create-key" | "schedule-maintenance" }
  | { type: "invite"; email: string }
  | { type: "edit-key" | "rotate-key" | "revoke-key"; key: ListedKeyView }
  | { type: "account"; task: AccountTask }
  | { type: "change-model"; model: ModelView };

/** What is done at once. */
type Deed = { type: "theme"; theme: Theme } | { type: "copy-base-url" } | { type: "sign-out" };

export interface Action extends Findable {
  id: string;
  note: string;
  icon: ReactNode;
  does: Task | Deed;
}

type KeyVerb = "edit" | "rotate" | "revoke";
type AccountVerb = "suspend" | "resume" | "plan" | "reset";
export interface Command {
  verb: KeyVerb | AccountVerb | "invite";
  /** What follows the verb; may be empty. */
  subject: string;
}

const keyVerbs: Record<KeyVerb, { word: string; icon: ReactNode }> = {
  edit: { word: "Edit", icon: <Pencil /> },
  rotate: { word: "Rotate", icon: <RefreshCw /> },
  revoke: { word: "Revoke", icon: <Ban /> },
};
const accountVerbs: Record<AccountVerb, { word: string; icon: ReactNode }> = {
  suspend: { word: "Suspend", icon: <CirclePause /> },
  resume: { word: "Resume", icon: <CirclePlay /> },
  plan: { word: "Change plan of", icon: <Layers /> },
  reset: { word: "Reset password of", icon: <KeyRound /> },
};
export const isKeyVerb = (verb: Command["verb"]): verb is KeyVerb => Object.hasOwn(keyVerbs, verb);
export const isAccountVerb = (verb: Command["verb"]): verb is AccountVerb =>
  Object.hasOwn(accountVerbs, verb);

const shortestVerb = 3;
const verbs = [...Object.keys(keyVerbs), ...Object.keys(accountVerbs), "invite"] as Command["verb"][];

/** A verb, of which three letters are enough, and what follows it: "rev ja2T", "revoke key …ja2T". */
export function commandIn(query: string, isAdmin: boolean): Command | null {
  const [, first = "", rest = ""] = /^\s*(\S+)\s*(.*)$/.exec(query) ?? [];
  const word = first.toLowerCase();
  const verb = verbs.find((known) => word.length >= shortestVerb && known.startsWith(word));
  if (verb === undefined || (!isAdmin && !isKeyVerb(verb))) return null;
  return { verb, subject: rest.replace(/^(?:key|account)\b\s*/i, "").trim() };
}

interface NamedActionsOptions {
  isAdmin: boolean;
  /** Whether there are keys where the palette was opened. */
  hasKeys: boolean;
  theme: Theme;
  models: readonly ModelView[];
}

/** What can be done without naming anything that has to be looked up, and to the models. */
export function namedActions({ isAdmin, hasKeys, theme, models }: NamedActionsOptions): Action[] {
  const ours = [
    ...(hasKeys ? [action("Create key", "new api key add", <Plus />, { type: "create-key" })] : []),
    action("Copy base URL", "address endpoint api", <Copy />, { type: "copy-base-url" }, baseUrl()),
    ...themes
      .filter((one) => one.theme !== theme)
      .map((one) => action(one.title, "mode appearance", one.icon, { type: "theme", theme: one.theme })),
    action("Sign out", "log out leave", <LogOut />, { type: "sign-out" }),
  ];
  if (!isAdmin) return ours;
  const changeable = models.filter(
    ({ fixedBy, change }) => fixedBy === null && change?.state !== "switching",
  );
  return [
    ...ours,
    action("Invite", "someone user account link admin", <MailPlus />, { type: "invite", email: "" }, "Admin"),
    action(
      ...(["Schedule maintenance", "plan window downtime admin", <Construction />] as const),
      { type: "schedule-maintenance" },
      "Admin",
    ),
    ...changeable.map((model) =>
      action(
        ...([`Change model of ${model.model}`, "switch model swap weights use admin", <Boxes />] as const),
        { type: "change-model", model },
        model.source?.label ?? "",
      ),
    ),
  ];
}

const themes = [
  { theme: "dark", title: "Dark theme", icon: <Moon /> },
  { theme: "light", title: "Light theme", icon: <Sun /> },
  { theme: "system", title: "System theme", icon: <Monitor /> },
] satisfies { theme: Theme; title: string; icon: ReactNode }[];

export const keyActions = (verb: KeyVerb, keys: readonly ListedKeyView[]): Action[] =>
  keys
    .filter((key) => (verb === "rotate" ? canRotate(key) : !hasEnded(key)))
    .map((key) => {
      const { word, icon } = keyVerbs[verb];
      return action(`${word} ${key.name}`, key.id, icon, { type: `${verb}-key`, key }, `…${key.lastFour}`);
    });

export const accountActions = (verb: AccountVerb, accounts: readonly AccountView[]): Action[] =>
  accounts
    .filter(({ suspendedAt }) =>
      verb === "suspend" ? suspendedAt === null : verb !== "resume" || suspendedAt,
    )
    .map((account) => {
      const { word, icon } = accountVerbs[verb];
      const does = { type: "account", task: { type: verb, account } } as const;
      return action(`${word} ${account.email}`, account.id, icon, does, "Admin");
    });

export const inviteAction = (email: string): Action =>
  action(`Invite ${email}`, "", <MailPlus />, { type: "invite", email }, "Admin");

function action(title: string, context: string, icon: ReactNode, does: Action["does"], note = ""): Action {
  return { id: `action:${title} ${note}`, title, context: `action ${context}`, icon, does, note };
}
