/** The model of requests that were refused before it was known. */
import { isModelId, type ModelId } from "../../../core/models.js";
export const noModel = "";

/** Rows of usage with their models; without those of models that this version does not know. */
export function withModels<Row extends { model: string }>(
  rows: readonly Row[],
): (Omit<Row, "model"> & { model: ModelId | null })[] {
  return rows.flatMap((row) => {
    if (row.model === noModel) return [{ ...row, model: null }];
    return isModelId(row.model) ? [{ ...row, model: row.model }] : [];
  });
}
