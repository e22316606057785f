/**
 * Waits for the client's first request and says how it ended. The service notes requests of this account for two
 * minutes after the button was pressed; this page asks for them once a second, until the client is connected or the
 * time is up.
 */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, PlugZap } from "lucide-react";
import { useEffect, useState } from "react";
import { baseUrl, type ConnectClient, type ConnectTarget } from "../../../../src/connect/client.js";
import type { ConnectionTestView } from "../../../../src/protocol/dashboard/keys.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Spinner } from "../../../components/states/spinner.tsx";
import { api } from "../../../service/api.ts";
import { queries } from "../../../service/queries.ts";
import { type Verdict, verdictOf } from "./connection-verdict.ts";

/** After a success: an agent’s other requests may still fail. */
const settleMs = 3_000;

type Phase = "idle" | "waiting" | "settling" | "ended";

export function TestConnection({ client, target }: { client: ConnectClient; target: ConnectTarget }) {
  const queryClient = useQueryClient();
  const [phase, setPhase] = useState<Phase>("idle");
  const [seen, setSeen] = useState<ConnectionTestView | null>(null);
  const isAsking = phase === "waiting" || phase === "settling";
  const { data, isError } = useQuery({ ...queries.connectionTest, enabled: isAsking });
  const begin = useMutation({
    mutationFn: api.beginConnectionTest,
    onSuccess: (test) => {
      queryClient.setQueryData(queries.connectionTest.queryKey, test);
      setSeen(test);
      setPhase("waiting");
    },
  });
  // The service forgets what arrived at the end; what was seen stays on the page.
  if (isAsking && data !== undefined && data !== seen && data.leftMs !== null) setSeen(data);
  const isOver = data?.leftMs === null;
  if (isAsking && isOver) setPhase("ended");
  const verdict = verdictOf(seen?.requests ?? [], {
    client,
    key: target.key,
    model: target.model,
    baseUrl: client.api === "Messages" ? target.origin : baseUrl(target),
  });
  const isConnected = verdict.type === "connected";
  if (phase === "waiting" && isConnected) setPhase("settling");
  if (phase === "settling" && !isConnected) setPhase("waiting");
  useEffect(() => {
    if (phase !== "settling") return undefined;
    const timer = setTimeout(() => setPhase("ended"), settleMs);
    return () => clearTimeout(timer);
  }, [phase]);

  return (
    <Card
      title="Test connection"
      description={`Press the button, then send a message with ${client.name}. This page says how its request ended; it never sees what was in it.`}
      actions={
        isAsking ? (
          <Button onClick={() => setPhase("ended")}>Stop</Button>
        ) : (
          <Button icon={<PlugZap />} pending={begin.isPending} onClick={() => begin.mutate()}>
            {phase === "idle" ? "Test connection" : "Test again"}
          </Button>
        )
      }
    >
      <div role="status" className="text-sm">
        {phase !== "idle" && <Result verdict={verdict} isWaiting={phase === "waiting"} target={target} />}
      </div>
      {phase === "waiting" && (
        <p className="mt-2 text-sm text-muted tabular-nums">
          {isError
            ? "The service does not answer right now; still trying."
            : `${Math.ceil((seen?.leftMs ?? 0) / 1000)} s left.`}
        </p>
      )}
      {begin.isError && <Callout tone="bad">{begin.error.message}</Callout>}
    </Card>
  );
}

interface ResultProps {
  verdict: Verdict;
  isWaiting: boolean;
  target: ConnectTarget;
}

function Result({ verdict: { type, text }, isWaiting, target }: ResultProps) {
  if (type === "connected") {
    return (
      <p className="flex items-center gap-2 font-medium text-good">
        <CircleCheck className="size-4 shrink-0" aria-hidden />
        {text}
      </p>
    );
  }
  if (type === "failed") {
    return (
      <>
        <p className="flex gap-2 font-medium text-bad">
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          <span className="min-w-0 wrap-anywhere">{text}</span>
        </p>
        {isWaiting && <p className="mt-2 text-muted">Correct it and send another message.</p>}
      </>
    );
  }
  if (isWaiting) {
    return (
      <p className="flex gap-2">
        <Spinner className="mt-0.5 size-4 shrink-0" />
        {text}
      </p>
    );
  }
  return (
    <p>
      No request arrived. Check that the client was started with this configuration, that it reaches{" "}
      <span className="font-mono wrap-anywhere">{target.origin}</span> from where it runs, and that its key is
      right: a request with a wrong key is only seen if it comes from this computer’s address.
    </p>
  );
}
