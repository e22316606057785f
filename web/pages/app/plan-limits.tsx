import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { LimitsNow, QuotaNow } from "../../../src/protocol/dashboard/api.js";
import { Card } from "../../components/frame/card.tsx";
import { QuotaMeter, RateMeter } from "../../components/figures/limit-meters.tsx";
import { Meter } from "../../components/figures/meter.tsx";
import { modelsText } from "../../components/models/model-name.tsx";
import { defaultReplyText } from "../../default-reply.ts";
import { useSpace } from "../../hooks/use-space.ts";
import { queries, useSite } from "../../service/queries.ts";
import { formatCount } from "../../units.ts";
import { hasEnded } from "./keys/key-status.tsx";

/** Each limit of the plan: its current use, and what it means in a sentence or two. */
export function PlanLimits({ limits, readAt }: { limits: LimitsNow; readAt: number }) {
  const { plan, requests, tokens, concurrent, quotas } = limits;
  const space = useSpace();
  const { data } = useQuery(space.id === null ? queries.keys : queries.teamKeys(space.id));
  const { data: site } = useSite();
  const { data: month } = useQuery({
    ...queries.month(space.id),
    enabled: quotas.some(({ period }) => period === "month"),
  });
  const keys = data?.keys.filter((key) => !hasEnded(key) && key.worksUntil === null).length ?? 0;
  return (
    <Card flush>
      <ul className="divide-y divide-line">
        <Limit meter={<RateMeter label="Requests per minute" gauge={requests} readAt={readAt} />}>
          Every request with a valid key counts, including requests that are refused later. The count resets
          every minute.
        </Limit>
        <Limit meter={<RateMeter label="Tokens per minute" gauge={tokens} readAt={readAt} />}>
          Before a request runs, its prompt and its <Code>max_tokens</Code> are reserved; afterwards only what
          was used stays counted. A smaller <Code>max_tokens</Code> lets more requests run concurrently.
        </Limit>
        <Limit meter={<Meter label="Concurrent requests" used={concurrent.held} limit={concurrent.limit} />}>
          Requests running or waiting in the queue. Further requests are refused until one of them ends.
        </Limit>
        {quotas.map((quota) => (
          <Limit
            key={quota.kind + quota.period}
            meter={
              <QuotaMeter
                quota={quota}
                label={quotaLabel(quota)}
                forecast={quota.period === "month" ? month?.[quota.kind] : undefined}
              />
            }
          >
            {quota.kind === "tokens"
              ? "Prompts and replies together. Requests that could use more than is left are refused."
              : "Requests that ran; those that were refused or invalid do not count."}{" "}
            You get an email at 80% and when it is used up, if this server sends mail.
          </Limit>
        ))}
        <Limit meter={<Meter label="Keys" used={keys} limit={plan.maxKeys} />}>
          Active and disabled keys. A key being replaced does not count.
        </Limit>
        <Limit meter={<Fixed label="Maximum reply length" value={replyText(plan.maxTokens)} />}>
          {plan.maxTokens === null ? (
            <>
              With a high enough <Code>max_tokens</Code>, a reply may use all of the context that the prompt
              leaves.
            </>
          ) : (
            <>
              A reply is cut off here, whatever <Code>max_tokens</Code> asks for.
            </>
          )}
          {site !== undefined && (
            <>
              {" "}
              Without <Code>max_tokens</Code> it has at most {defaultReplyText(site, plan)}.
            </>
          )}
        </Limit>
        <Limit meter={<Fixed label="Models" value={modelsText(plan.models)} />}>
          A key can be restricted to some of them.
        </Limit>
        {plan.requiresEncryption && (
          <Limit meter={<Fixed label="Encrypted requests" value="Required" />}>
            Requests whose bodies are not encrypted are refused, those of the playground, too.
          </Limit>
        )}
      </ul>
    </Card>
  );
}

function Limit({ meter, children }: { meter: ReactNode; children: ReactNode }) {
  return (
    <li className="grid grid-cols-1 items-center gap-x-12 gap-y-3 px-5 py-5 sm:px-6 md:grid-cols-2">
      <div>{meter}</div>
      <p className="text-sm text-muted">{children}</p>
    </li>
  );
}

function Fixed({ label, value }: { label: string; value: string }) {
  return (
    <p className="flex items-baseline justify-between gap-4 text-sm">
      <span className="font-medium">{label}</span>
      <span className="text-muted">{value}</span>
    </p>
  );
}

function Code({ children }: { children: string }) {
  return <code className="font-mono text-[0.9em] text-ink">{children}</code>;
}

const quotaLabel = ({ kind, period }: QuotaNow): string =>
  `${kind === "tokens" ? "Tokens" : "Requests"} per ${period}`;

function replyText(maxTokens: number | null): string {
  return maxTokens === null ? "Limited by the context" : `${formatCount(maxTokens)} tokens`;
}
