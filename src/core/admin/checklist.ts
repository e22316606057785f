/**
 * What to set up before others use the service. An item is done when the server can tell;
 * any other can be ticked off by an admin, who may have a reason (no mail server, backups by other means).
 * Ticks are settings of the service, one each, so that two admins do not undo each other's.
 */
import { checklistItems, type Checklist, type ChecklistItem } from "./service-views.js";
import type { SignUpMode } from "../accounts/sign-up-mode.js";
import { DashboardError, existing } from "../dashboard-error.js";
import type { Store } from "../store.js";
import type { ServiceStore } from "./ports.js";

/** Written by `sotto backup`. */
export const lastBackupSetting = "last_backup_at";
const hiddenSetting = "checklist.hidden";
const tickOf = (item: ChecklistItem): string => `checklist.${item}`;
const ticked = "ticked";

/** What the server knows of itself. */
export interface OwnFacts {
  /** The demonstration model still answers. */
  usesStarter: boolean;
  signUp: SignUpMode;
  canMail: boolean;
  publicUrl: string | undefined;
  backupCommand: string | null;
  /** Name and contact were entered. */
  hasOperator: boolean;
}

export class AdminChecklist {
  constructor(
    private readonly store: Pick<Store, "setSetting"> & { readonly service: Pick<ServiceStore, "facts"> },
  ) {}

  async read(own: OwnFacts): Promise<Checklist> {
    const { facts } = this.store.service;
    const [settings, hasInvited] = await Promise.all([
      facts.settings([hiddenSetting, lastBackupSetting, ...checklistItems.map(tickOf)]),
      facts.hasInvited(),
    ]);
    const lastBackupAt = settings.get(lastBackupSetting) ?? null;
    const isKnown: Record<ChecklistItem, boolean> = {
      operator: own.hasOperator,
      model: !own.usesStarter,
      signUp: own.signUp !== "open",
      mail: own.canMail,
      address: own.publicUrl?.startsWith("https://") === true,
      invite: hasInvited,
      backup: lastBackupAt !== null,
    };
    const entries = checklistItems.map((id) => ({
      id,
      state: isKnown[id] ? "done" : settings.get(tickOf(id)) === ticked ? "ticked" : "open",
    })) satisfies Checklist["entries"];
    return {
      entries,
      isHidden: settings.get(hiddenSetting) === ticked,
      signUp: own.signUp,
      publicUrl: own.publicUrl ?? null,
      lastBackupAt,
      backupCommand: own.backupCommand,
    };
  }

  async tick(name: string, isTicked: boolean): Promise<void> {
    const found = checklistItems.find((id) => id === name);
    const item = existing(found, "There is no such item.");
    await this.store.setSetting(tickOf(item), isTicked ? ticked : "");
  }

  /** Only when no item is open. */
  async hide(own: OwnFacts): Promise<void> {
    const { entries } = await this.read(own);
    if (entries.some(({ state }) => state === "open")) {
      throw new DashboardError("conflict", "Some items are still open. Do them, or tick them off.");
    }
    await this.store.setSetting(hiddenSetting, ticked);
  }
}
