/** What `sotto doctor` says about other names for the models. Errors in them end every command before this. */
import { isPattern } from "../../core/model-aliases.js";
import type { Check } from "./finding.js";

export const checkAliases: Check = async ({ service: { modelAliases, listAliases } }) => {
  const name = "aliases";
  const shown = modelAliases.map(({ name: alias, model }) => `${alias} → ${model}`).join(", ");
  if (listAliases && !modelAliases.some((alias) => !isPattern(alias.name))) {
    const next = "Add an exact name to SOTTO_MODEL_ALIASES, or leave SOTTO_LIST_ALIASES out.";
    return [{ name, state: "hint", detail: `${shown || "none"}; a pattern cannot be listed`, next }];
  }
  return [{ name, state: "ok", detail: shown || "none" }];
};
