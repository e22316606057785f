/**
 * Drafts of announcements that the service writes itself when something changes for its users: one for each model,
 * replaced by the next change. Only admins see them, and publish, edit or discard them. Kept as settings.
 */
import type { Actor } from "../audit.js";
import { DashboardError } from "../dashboard-error.js";
import { isModelId, type ModelId, modelIds } from "../models.js";
import type { Store } from "../store.js";
import type { News } from "./news.js";
import type { ChangelogItem } from "./ports.js";

export interface Draft {
  model: ModelId;
  title: string;
  body: string;
}

export type PublishedDraft = Omit<Draft, "model"> & { model: string };

const setting = (model: ModelId): string => `changelog_draft.${model}`;

export class Drafts {
  constructor(
    private readonly store: Pick<Store, "getSetting" | "setSetting">,
    private readonly news: Pick<News, "publish">,
  ) {}

  async list(): Promise<Draft[]> {
    const drafts = await Promise.all(modelIds.map((model) => this.#read(model)));
    return drafts.filter((draft) => draft !== null);
  }

  async write({ model, title, body }: Draft): Promise<void> {
    await this.store.setSetting(setting(model), `${title}\n${body}`);
  }

  /** As the admin has edited it. */
  async publish(actor: Actor, { model: id, title, body }: PublishedDraft): Promise<ChangelogItem> {
    const draft = isModelId(id) ? await this.#read(id) : null;
    if (draft === null) throw new DashboardError("not_found", "There is no such draft any more.");
    const item = await this.news.publish(actor, title, body);
    await this.discard(draft.model);
    return item;
  }

  async discard(id: string): Promise<void> {
    if (!isModelId(id)) throw new DashboardError("not_found", "There is no such draft.");
    await this.store.setSetting(setting(id), "");
  }

  async #read(model: ModelId): Promise<Draft | null> {
    const row = await this.store.getSetting(setting(model));
    if (row === null || row === "") return null;
    // The title is one line.
    const [title = "", ...lines] = row.split("\n");
    return { model, title, body: lines.join("\n") };
  }
}
