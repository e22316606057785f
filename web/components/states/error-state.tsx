/** What stands where something could not be loaded, with the reason and a way to try again. */
import { RotateCw } from "lucide-react";
import { Button } from "../controls/button.tsx";

interface ErrorStateProps {
  error: Error;
  onRetry?: (() => unknown) | undefined;
  /** What could not be loaded: "the keys". */
  what?: string;
}

export function ErrorState({ error, onRetry, what = "this" }: ErrorStateProps) {
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-14 text-center">
      <p className="font-medium">Could not load {what}</p>
      <p className="mt-1 max-w-sm text-sm text-muted">{error.message}</p>
      {onRetry !== undefined && (
        <Button size="sm" className="mt-5" icon={<RotateCw />} onClick={() => void onRetry()}>
          Try again
        </Button>
      )}
    </div>
  );
}
