/** The identity providers of an account, for someone who is asked again who they are. */
import { useEffect, useState } from "react";
import type { Site } from "../../src/protocol/dashboard/api.js";
import { Or, ProviderChoice } from "../components/controls/provider-buttons.tsx";
import { Callout } from "../components/states/callout.tsx";
import { onConfirmed, openProviderWindow } from "../service/provider-window.ts";

interface ProviderProofProps {
  providers: Site["providers"];
  /** Whether there is another way above them. */
  isSecond: boolean;
  onProven: () => void;
}

export function ProviderProof({ providers, isSecond, onProven }: ProviderProofProps) {
  const [state, setState] = useState<"waiting" | "blocked" | null>(null);
  useEffect(() => onConfirmed(onProven), [onProven]);
  if (providers.length === 0) return null;
  return (
    <div className="flex flex-col gap-3">
      {isSecond && <Or />}
      <ProviderChoice
        providers={providers}
        isSecond={isSecond}
        onChoose={(id) => setState(openProviderWindow(id) ? "waiting" : "blocked")}
      />
      {state === "waiting" && (
        <p role="status" className="text-sm text-muted">
          Sign in in the window that has opened. This page goes on by itself.
        </p>
      )}
      {state === "blocked" && (
        <Callout tone="bad">
          Your browser has blocked the window. Allow it for this page, then try again.
        </Callout>
      )}
    </div>
  );
}
