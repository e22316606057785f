/** Checks a service in the visitor's own browser, and says in words what holds and what does not. */
import { CircleCheck, CircleX, RotateCw, TriangleAlert } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useMutation } from "@tanstack/react-query";
import { Button } from "../components/controls/button.tsx";
import { Field, Input } from "../components/controls/field.tsx";
import { Form } from "../components/controls/form.tsx";
import { Card } from "../components/frame/card.tsx";
import { Callout } from "../components/states/callout.tsx";
import { SkeletonLines } from "../components/states/skeleton.tsx";
import { ArrowLink } from "../components/text/arrow-link.tsx";
import { CodeBlock } from "../components/text/code-block.tsx";
import { Time } from "../components/text/time.tsx";
import { cx } from "../cx.ts";
import { useTitle } from "../hooks/use-title.ts";
import { checkService, forgetService, type CheckedService } from "./proof/verification.ts";
import { StatementFacts } from "./proof/statement-facts.tsx";

export default function Verify() {
  useTitle("Verify");
  const [address, setAddress] = useState(() => addressInUrl() ?? location.origin);
  const check = useMutation({ mutationFn: checkService });
  const { mutate } = check;
  useEffect(() => mutate(addressInUrl() ?? location.origin), [mutate]);
  return (
    <div className="mx-auto max-w-3xl px-5 pt-14 sm:px-8 sm:pt-20">
      <h1 className="text-3xl sm:text-4xl">Verify</h1>
      <p className="mt-3 max-w-2xl text-lg text-muted">
        What a service proves about itself, checked here in your browser: its signed statement, the log of all
        statements before, and its keys.
      </p>
      <Form
        className="mt-8 flex flex-wrap items-end gap-3"
        error={null}
        onSubmit={() => {
          if (needsOwnPage(address)) location.assign(`/verify?address=${encodeURIComponent(address)}`);
          else mutate(address);
        }}
      >
        <Field label="Address of the service" className="min-w-0 flex-1 basis-64">
          <Input
            value={address}
            onValue={setAddress}
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="url"
            inputMode="url"
          />
        </Field>
        <Button type="submit" variant="primary" className="h-10 w-28" pending={check.isPending}>
          Check
        </Button>
      </Form>
      <div className="mt-8 flex min-h-96 flex-col gap-6" aria-live="polite">
        {check.isPending && <SkeletonLines lines={6} />}
        {check.isError && (
          <Callout tone="warn" title="It could not be checked">
            {check.error.message}
          </Callout>
        )}
        {check.isSuccess && (
          <Result
            result={check.data}
            onForget={(base) => {
              forgetService(base);
              mutate(base);
            }}
          />
        )}
      </div>
      {!check.isIdle && !check.isPending && <HowFar />}
    </div>
  );
}

function Result({ result, onForget }: { result: CheckedService; onForget: (base: string) => void }) {
  const { refused, passed, warnings, changes, statement, since, address } = result;
  return (
    <>
      <Verdict isGood={refused === null} address={address}>
        {refused === null ? (
          since === null ? (
            "Everything holds. This was the first check in this browser: its key is pinned now."
          ) : (
            <>
              Everything holds, and follows what this browser has seen since <Time at={since} style="date" />.
            </>
          )
        ) : (
          refused.text
        )}
      </Verdict>
      <Card title="What was checked">
        <ul className="flex flex-col gap-3 text-sm">
          {passed.map((text) => (
            <Line key={text} kind="good">
              {text}
            </Line>
          ))}
          {warnings.map((text) => (
            <Line key={text} kind="warn">
              {text}
            </Line>
          ))}
          {refused !== null && <Line kind="bad">{refused.text}</Line>}
        </ul>
        {refused !== null && since !== null && (
          <div className="mt-5 flex flex-wrap items-center gap-3 border-t border-line pt-5 text-sm text-muted">
            <p className="min-w-0 flex-1 basis-64">
              Ask the operator first. If there is a good reason, such as a restored backup, pin the service
              anew.
            </p>
            <Button size="sm" icon={<RotateCw />} onClick={() => onForget(address)}>
              Pin anew
            </Button>
          </div>
        )}
      </Card>
      {changes !== null && (
        <Card title="Since your last check">
          {changes.length === 0 ? (
            <p className="text-sm text-muted">Nothing changed.</p>
          ) : (
            <ul className="flex list-disc flex-col gap-2 pl-5 text-sm wrap-anywhere">
              {changes.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
        </Card>
      )}
      {statement !== null && refused === null && (
        <Card
          title="What it states"
          description="Signed by the service. Nothing here is checked by hardware."
        >
          <StatementFacts statement={statement} />
        </Card>
      )}
    </>
  );
}

function Verdict({ isGood, address, children }: { isGood: boolean; address: string; children: ReactNode }) {
  const Icon = isGood ? CircleCheck : CircleX;
  return (
    <div
      role={isGood ? "status" : "alert"}
      className={cx(
        "flex gap-4 rounded-lg px-5 py-4",
        isGood ? "bg-good-soft text-good" : "bg-bad-soft text-bad",
      )}
    >
      <Icon className="mt-1 size-6 shrink-0" aria-hidden />
      <div className="min-w-0 text-ink wrap-anywhere">
        <p className="text-xl font-medium">{isGood ? "Verified" : "Refused"}</p>
        <p className="text-sm text-muted">{address}</p>
        <p className="mt-2">{children}</p>
      </div>
    </div>
  );
}

const kinds = {
  good: { Icon: CircleCheck, look: "text-good", word: "Holds: " },
  warn: { Icon: TriangleAlert, look: "text-warn", word: "Note: " },
  bad: { Icon: CircleX, look: "text-bad", word: "Fails: " },
};

function Line({ kind, children }: { kind: keyof typeof kinds; children: string }) {
  const { Icon, look, word } = kinds[kind];
  return (
    <li className="flex gap-3">
      <Icon className={cx("mt-0.5 size-4 shrink-0", look)} aria-hidden />
      <span className="min-w-0 wrap-anywhere">
        <span className="sr-only">{word}</span>
        {children}
      </span>
    </li>
  );
}

function HowFar() {
  return (
    <section aria-labelledby="how-far" className="mt-14 flex flex-col gap-4">
      <h2 id="how-far" className="text-xl">
        How far this goes
      </h2>
      <p className="max-w-2xl text-muted">
        The service signs what it says about itself, and cannot take it back later without being found out.
        That it says the truth is not proven: whoever controls the machine can run a changed program. Whether
        others are shown the same log is found by comparing its size and root with theirs. And this page comes
        from the service itself: to depend on nothing of it, use the command line.
      </p>
      <CodeBlock language="bash" code="sotto verify https://sotto.example" />
      <p className="flex flex-wrap gap-x-6 gap-y-2">
        <ArrowLink href="/transparency">The log in words</ArrowLink>
        <ArrowLink href="/docs/privacy#who">Who is kept from seeing what</ArrowLink>
      </p>
    </section>
  );
}

const addressInUrl = (): string | null => new URLSearchParams(location.search).get("address");

/** Other services may be asked by this page alone, as it was loaded: the policy of another one does not allow it. */
function needsOwnPage(address: string): boolean {
  const [loaded] = performance.getEntriesByType("navigation");
  const isOwn = loaded !== undefined && new URL(loaded.name).pathname.startsWith("/verify");
  return !isOwn && !address.includes(location.host);
}
