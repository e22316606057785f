/** Models as this API lists them. */
import type { WireModel } from "../model-list.js";

export const messagesModel = ({ id, created }: WireModel) => ({
  type: "model",
  id,
  display_name: id,
  created_at: new Date(created * 1000).toISOString().replace(".000Z", "Z"),
});

/** Always all of them: there is no second page. */
export const messagesModelList = (models: readonly WireModel[]) => ({
  data: models.map(messagesModel),
  has_more: false,
  first_id: models.at(0)?.id ?? null,
  last_id: models.at(-1)?.id ?? null,
});
