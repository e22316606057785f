import { X } from "lucide-react";
import { useState } from "react";
import type { ServiceUsageReport } from "../../../../src/core/usage/usage-views.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field, Input } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Address } from "../../../components/text/breakable.tsx";
import { KeyLabel } from "../../../components/text/key-label.tsx";
import { fieldError } from "../../../form-errors.ts";
import type { Choose, ServiceChoice } from "./use-usage-choice.ts";

interface AccountFilterProps {
  choice: ServiceChoice;
  choose: Choose;
  report: ServiceUsageReport | undefined;
  error: Error | null;
}

/** Filters by one account's email address, and shows the current filter. */
export function AccountFilter({ choice, choose, report, error }: AccountFilterProps) {
  const [typed, setTyped] = useState("");
  const isChosen = choice.account !== "" || choice.key !== "";
  const problem = isChosen ? fieldError(error, "account") : undefined;
  if (isChosen && problem === undefined) {
    const account = report?.account ?? null;
    return (
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-0 text-sm">
          <span className="text-muted">Account: </span>
          <Address email={account?.email ?? choice.account} className="font-medium" />
          {choice.key !== "" && (
            <>
              <span className="text-muted">, key: </span>
              <span className="font-medium">
                <KeyLabel name={report?.key?.name ?? choice.key} lastFour={report?.key?.lastFour ?? null} />
              </span>
            </>
          )}
        </p>
        {choice.key !== "" && choice.account !== "" && (
          <Button size="sm" icon={<X />} onClick={() => choose({ key: "" })}>
            All keys
          </Button>
        )}
        <Button size="sm" icon={<X />} onClick={() => choose({ account: "", key: "" })}>
          All accounts
        </Button>
      </div>
    );
  }
  return (
    <Form
      className="flex flex-col gap-3 sm:flex-row sm:items-start"
      error={error}
      onSubmit={() => choose({ account: typed.trim(), key: "" })}
    >
      <Field
        label="Find an account"
        hint="By its email address; empty for all."
        error={problem}
        className="sm:w-80"
      >
        <Input type="email" autoComplete="off" value={typed} onValue={setTyped} />
      </Field>
      <Button type="submit" className="h-10 sm:mt-6.5">
        Show account
      </Button>
    </Form>
  );
}
