/** The wire shapes of the model listing. */
import { modelIds, type ModelId } from "./models.js";

export interface WireModel {
  id: ModelId;
  object: "model";
  /** Unix seconds. */
  created: number;
  owned_by: string;
}

export interface WireModelList {
  object: "list";
  data: WireModel[];
}

export interface ModelListing {
  ownerName: string;
  createdAt: Date;
}

export const wireModel = (id: ModelId, { ownerName, createdAt }: ModelListing): WireModel => ({
  id,
  object: "model",
  created: Math.floor(createdAt.getTime() / 1000),
  owned_by: ownerName,
});

/** All three, in the specification's order, whatever a key may use. */
export const wireModelList = (listing: ModelListing): WireModelList => ({
  object: "list",
  data: modelIds.map((id) => wireModel(id, listing)),
});
