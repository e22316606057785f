/** A key's own limits, below its plan's: none by default, each optional. */
import type { KeyLimitsView, PlanView } from "../../../../src/protocol/dashboard/api.js";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Fieldset } from "../../../components/controls/fieldset.tsx";
import { fieldError } from "../../../form-errors.ts";
import { Input } from "../../../components/controls/input.tsx";

/** As typed; empty if only the plan's limit applies. */
export type TypedLimits = Record<keyof KeyLimitsView, string>;

const noTypedLimits: TypedLimits = {
  requestsPerMinute: "",
  tokensPerMinute: "",
  concurrentRequests: "",
  requestsPerDay: "",
  tokensPerDay: "",
  requestsPerMonth: "",
  tokensPerMonth: "",
};

const labels: Record<keyof KeyLimitsView, string> = {
  requestsPerMinute: "Requests per minute",
  tokensPerMinute: "Tokens per minute",
  concurrentRequests: "Concurrent requests",
  requestsPerDay: "Requests per day",
  tokensPerDay: "Tokens per day",
  requestsPerMonth: "Requests per month",
  tokensPerMonth: "Tokens per month",
};
const names = [
  "requestsPerMinute",
  "tokensPerMinute",
  "requestsPerDay",
  "tokensPerDay",
  "requestsPerMonth",
  "tokensPerMonth",
  "concurrentRequests",
] as const;

const fieldOf = (name: keyof KeyLimitsView): string => `limits.${name}`;

/** The fields that show their own errors. */
export const limitFieldNames = ["limits", ...names.map(fieldOf)];

interface KeyLimitsFieldProps {
  /** By default those of a key below its plan's. */
  label?: string;
  hint?: string;
  /** Null while the key has none of its own. */
  value: TypedLimits | null;
  onChange: (limits: TypedLimits | null) => void;
  plan: PlanView;
  /** What the service refused. */
  error: Error | null;
}

export function KeyLimitsField({
  label = "Set lower limits than my plan’s",
  hint = "So that a test cannot use up what production needs.",
  value,
  onChange,
  plan,
  error,
}: KeyLimitsFieldProps) {
  return (
    <Fieldset legend="Limits" error={fieldError(error, "limits")}>
      <Checkbox
        label={label}
        hint={hint}
        checked={value !== null}
        onChange={(event) => onChange(event.target.checked ? noTypedLimits : null)}
      />
      {value !== null && (
        <div className="grid gap-3 pl-6.5 sm:grid-cols-2">
          {names.map((name) => (
            <Field key={name} label={labels[name]} error={fieldError(error, fieldOf(name))}>
              <Input
                value={value[name]}
                inputMode="numeric"
                autoComplete="off"
                placeholder={plan[name]?.toLocaleString("en") ?? "No limit"}
                onChange={(event) => onChange({ ...value, [name]: event.target.value })}
              />
            </Field>
          ))}
        </div>
      )}
    </Fieldset>
  );
}

/** A key's limits as form values; null for a key without its own. */
export function typedLimits(limits: KeyLimitsView): TypedLimits | null {
  if (names.every((name) => limits[name] === null)) return null;
  const typed = { ...noTypedLimits };
  for (const name of names) typed[name] = limits[name] === null ? "" : String(limits[name]);
  return typed;
}

/** Text that is not a number is sent as one that the service refuses: NaN would be read as "no limit". */
const refused = -1;

export function limitsToSend(typed: TypedLimits | null): KeyLimitsView | null {
  if (typed === null) return null;
  const number = (text: string) => {
    const digits = text.replaceAll(/[\s,]/g, "");
    if (digits === "") return null;
    return /^\d+$/.test(digits) ? Number(digits) : refused;
  };
  return {
    requestsPerMinute: number(typed.requestsPerMinute),
    tokensPerMinute: number(typed.tokensPerMinute),
    concurrentRequests: number(typed.concurrentRequests),
    requestsPerDay: number(typed.requestsPerDay),
    tokensPerDay: number(typed.tokensPerDay),
    requestsPerMonth: number(typed.requestsPerMonth),
    tokensPerMonth: number(typed.tokensPerMonth),
  };
}

/** "30 requests per minute, 2 concurrent", or null for a key without limits of its own. */
export function limitsText(limits: KeyLimitsView) {
  const parts = names.flatMap((name) => {
    const limit = limits[name];
    const unit = name === "concurrentRequests" ? "concurrent" : labels[name].toLowerCase();
    return limit === null ? [] : [`${limit.toLocaleString("en")}\u00a0${unit}`];
  });
  return parts.length === 0 ? null : parts.join(", ");
}
