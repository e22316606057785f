/** What was read, or in its place that it is being loaded, or could not be. */
import type { ReactNode } from "react";
import { Card } from "../frame/card.tsx";
import { ErrorState } from "./error-state.tsx";
import { SkeletonLines } from "./skeleton.tsx";

interface LoadStateProps {
  query: { error: Error | null; refetch: () => unknown };
  /** "the keys" */
  what?: string;
  /** How many lines stand in for it. */
  lines: number;
}

interface LoadedProps<Data> extends LoadStateProps {
  query: LoadStateProps["query"] & { data: Data | undefined };
  /** Around the lines, or the error. */
  card?: boolean;
  children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ card = false, children, ...props }: LoadedProps<Data>) {
  const { data } = props.query;
  if (data !== undefined) return children(data);
  const state = <LoadState {...props} />;
  return card ? <Card>{state}</Card> : state;
}

/** While there is no data. */
export function LoadState({ query: { error, refetch }, what, lines }: LoadStateProps) {
  if (error === null) return <SkeletonLines lines={lines} />;
  return <ErrorState error={error} onRetry={refetch} what={what} />;
}

interface UnlessFailedProps extends Omit<LoadStateProps, "lines"> {
  query: LoadStateProps["query"] & { data: unknown };
  children: ReactNode;
}

/** For content that has placeholders of its own: it, or a card with the error. */
export function UnlessFailed({ query: { data, error, refetch }, what, children }: UnlessFailedProps) {
  if (data !== undefined || error === null) return children;
  return (
    <Card>
      <ErrorState error={error} onRetry={refetch} what={what} />
    </Card>
  );
}
