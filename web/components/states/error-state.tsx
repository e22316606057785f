/** Shown in place of content that failed to load, with the reason and a retry button. */
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { Button } from "../controls/button.tsx";

interface ErrorStateProps {
  error: Error;
  onRetry: () => unknown;
  /** What could not be loaded: "the keys". */
  what?: string | undefined;
}

export function ErrorState({ error, onRetry, what = "this" }: ErrorStateProps) {
  const [retrying, setRetrying] = useState(false);
  async function retry() {
    setRetrying(true);
    await onRetry();
    setRetrying(false);
  }
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-14 text-center">
      <p className="font-medium">Could not load {what}</p>
      <p className="mt-1 max-w-sm text-sm text-muted">{error.message}</p>
      <Button size="sm" className="mt-5" icon={<RotateCw />} pending={retrying} onClick={() => void retry()}>
        Try again
      </Button>
    </div>
  );
}
