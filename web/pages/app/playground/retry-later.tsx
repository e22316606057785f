import { RefreshCw } from "lucide-react";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { useCountdown } from "../../../hooks/use-countdown.ts";
import { formatWait } from "../../../units.ts";

interface RetryLaterProps {
  /** The service's message. */
  message: string;
  seconds: number;
  since: number;
  /** Nothing can be sent. */
  blocked: boolean;
  /** Null if the conversation has continued without this reply. */
  onRetry: (() => void) | null;
}

/** A temporary refusal: counts down to the retry time and then offers a retry. */
export function RetryLater({ message, seconds, since, blocked, onRetry }: RetryLaterProps) {
  const left = useCountdown(seconds, since);
  return (
    <Callout tone="warn" title="Temporarily refused">
      {/* Announced once; the seconds are on the button. */}
      <p role="alert">{message}</p>
      {onRetry !== null && (
        // Not `disabled` while it counts, so that the focus can wait on it.
        <Button
          size="sm"
          className="mt-3 tabular-nums"
          icon={<RefreshCw />}
          aria-disabled={left > 0 || undefined}
          disabled={blocked}
          onClick={() => {
            if (left === 0) onRetry();
          }}
        >
          {left > 0 ? `Retry in ${formatWait(left)}` : "Retry"}
        </Button>
      )}
    </Callout>
  );
}
