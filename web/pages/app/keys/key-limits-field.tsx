/** A key's own limits, below its plan's: none by default, each optional. */
import type { KeyLimitsView, PlanView } from "../../../../src/protocol/dashboard/api.js";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Fieldset } from "../../../components/controls/fieldset.tsx";
import { asTyped, LimitFields, limitLabels, quotaNames, toSend } from "./limit-fields.tsx";

export type TypedLimits = Record<keyof KeyLimitsView, string>;

const names = ["requestsPerMinute", "tokensPerMinute", ...quotaNames, "concurrentRequests"] as const;

interface KeyLimitsFieldProps {
  /** By default those of a key below its plan's. */
  label?: string;
  hint?: string;
  /** Null while the key has none of its own. */
  value: TypedLimits | null;
  onChange: (limits: TypedLimits | null) => void;
  plan: PlanView;
}

export function KeyLimitsField({
  label = "Set lower limits than my plan’s",
  hint = "So that a test cannot use up what production needs.",
  value,
  onChange,
  plan,
}: KeyLimitsFieldProps) {
  return (
    <Fieldset legend="Limits" name="limits">
      <Checkbox
        label={label}
        hint={hint}
        checked={value !== null}
        onChange={(checked) => onChange(checked ? asTyped(names, null) : null)}
      />
      {value !== null && (
        <LimitFields {...{ names, value, onChange, plan }} path="limits." className="gap-3 pl-6.5" />
      )}
    </Fieldset>
  );
}

/** A key's limits as form values; null for a key without its own. */
export const typedLimits = (limits: KeyLimitsView): TypedLimits | null =>
  names.every((name) => limits[name] === null) ? null : asTyped(names, limits);

export const limitsToSend = (typed: TypedLimits | null): KeyLimitsView | null =>
  typed === null ? null : toSend(names, typed);

/** "30 requests per minute, 2 concurrent", or null for a key without limits of its own. */
export function limitsText(limits: KeyLimitsView) {
  const parts = names.flatMap((name) => {
    const limit = limits[name];
    const unit = name === "concurrentRequests" ? "concurrent" : limitLabels[name].toLowerCase();
    return limit === null ? [] : [`${limit.toLocaleString("en")}\u00a0${unit}`];
  });
  return parts.length === 0 ? null : parts.join(", ");
}
