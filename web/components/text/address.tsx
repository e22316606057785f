import { Breakable } from "./breakable.tsx";

/** An email address. */
export function Address({ email, className }: { email: string; className?: string }) {
  return <Breakable text={email} after="@." className={className} />;
}
