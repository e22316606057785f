/** Models as this API lists them. */
import type { WireModel } from "../model-list.js";

export interface MessagesModel {
  type: "model";
  id: string;
  display_name: string;
  created_at: string;
}

/** Always all of them: there is no second page. */
export interface MessagesModelList {
  data: MessagesModel[];
  has_more: false;
  first_id: string | null;
  last_id: string | null;
}

export const messagesModel = ({ id, created }: WireModel): MessagesModel => ({
  type: "model",
  id,
  display_name: id,
  created_at: new Date(created * 1000).toISOString().replace(".000Z", "Z"),
});

export const messagesModelList = (models: readonly WireModel[]): MessagesModelList => ({
  data: models.map(messagesModel),
  has_more: false,
  first_id: models.at(0)?.id ?? null,
  last_id: models.at(-1)?.id ?? null,
});
