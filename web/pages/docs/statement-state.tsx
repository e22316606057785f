/** Whether this service's statement holds, checked by the reader's browser while the page is open. */
import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX } from "lucide-react";
import { Time } from "../../components/text/time.tsx";
import { cx } from "../../cx.ts";

const everyMs = 60_000;

export function StatementState() {
  const { data, error } = useQuery({
    queryKey: ["statement-state"],
    // Loaded when the page is shown: nothing else of the documentation needs it.
    queryFn: async () => (await import("../proof/verification.ts")).checkService(location.origin),
    refetchInterval: everyMs,
    retry: false,
  });
  const isGood = data !== undefined && data.refused === null;
  const Icon = isGood ? CircleCheck : CircleX;
  const isKnown = data !== undefined || error !== null;
  return (
    <div
      className={cx(
        "not-prose flex min-h-28 gap-3 sm:min-h-22 rounded-md px-4 py-3 text-sm",
        !isKnown
          ? "bg-hover"
          : isGood
            ? "bg-good-soft text-good"
            : error === null
              ? "bg-bad-soft text-bad"
              : "bg-warn-soft text-warn",
      )}
    >
      {isKnown && <Icon className="mt-0.5 size-4 shrink-0" aria-hidden />}
      <div className="min-w-0 text-ink wrap-anywhere">
        {!isKnown && <p>Checking this service’s signed statement …</p>}
        {error !== null && data === undefined && (
          <p>This service’s statement could not be checked: {error.message}</p>
        )}
        {data !== undefined && (
          <p>
            {data.refused === null ? (
              <>
                This service’s signed statement holds
                {data.statement !== null && (
                  <>
                    , until <Time at={data.statement.not_after} style="moment" />
                  </>
                )}
                . Your browser has just checked it.
              </>
            ) : (
              <>This service’s statement does not hold: {data.refused.text}</>
            )}
          </p>
        )}
        <p className="mt-1 flex flex-wrap gap-x-4 [&_a]:underline [&_a]:underline-offset-2">
          <a href="/verify">What it says</a>
          <a href="/transparency">What it said before</a>
        </p>
      </div>
    </div>
  );
}
