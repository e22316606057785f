/** Limits that are each optional, as typed: an empty one stands for the plan's. */
import type { KeyLimitsView } from "../../../../src/protocol/dashboard/api.js";
import { Field, Input } from "../../../components/controls/field.tsx";
import { cx } from "../../../cx.ts";

type LimitName = keyof KeyLimitsView;

export const limitLabels: Record<LimitName, string> = {
  requestsPerMinute: "Requests per minute",
  tokensPerMinute: "Tokens per minute",
  concurrentRequests: "Concurrent requests",
  requestsPerDay: "Requests per day",
  tokensPerDay: "Tokens per day",
  requestsPerMonth: "Requests per month",
  tokensPerMonth: "Tokens per month",
};

export const quotaNames = ["requestsPerDay", "tokensPerDay", "requestsPerMonth", "tokensPerMonth"] as const;

interface LimitFieldsProps<Name extends LimitName> {
  names: readonly Name[];
  /** Before their names in the request. */
  path?: string;
  value: Record<Name, string>;
  onChange: (value: Record<Name, string>) => void;
  /** Whose limits apply otherwise, once they are known. */
  plan: Record<Name, number | null> | undefined;
  className: string;
}

export function LimitFields<Name extends LimitName>(props: LimitFieldsProps<Name>) {
  const { names, path = "", value, onChange, plan, className } = props;
  return (
    <div className={cx("grid sm:grid-cols-2", className)}>
      {names.map((name) => (
        <Field key={name} label={limitLabels[name]} name={`${path}${name}`}>
          <Input
            value={value[name]}
            inputMode="numeric"
            autoComplete="off"
            placeholder={limitText(plan?.[name])}
            onValue={(text) => onChange({ ...value, [name]: text })}
          />
        </Field>
      ))}
    </div>
  );
}

const limitText = (limit: number | null | undefined): string => limit?.toLocaleString("en") ?? "No limit";

/** Of some limits, or of none. */
export const asTyped = <Name extends LimitName>(
  names: readonly Name[],
  limits: Record<Name, number | null> | null,
): Record<Name, string> => byName(names, (name) => String(limits?.[name] ?? ""));

/** For the service. Text that is not a number is sent as one that it refuses: NaN would be read as "no limit". */
export const toSend = <Name extends LimitName>(
  names: readonly Name[],
  typed: Record<Name, string>,
): Record<Name, number | null> =>
  byName(names, (name) => {
    const digits = typed[name].replaceAll(/[\s,]/g, "");
    if (digits === "") return null;
    return /^\d+$/.test(digits) ? Number(digits) : -1;
  });

export function byName<Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}
