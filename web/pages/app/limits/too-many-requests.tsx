import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { CodeBlock } from "../../../components/text/code-block.tsx";

/** What a program sees at a limit. */
export function TooManyRequests() {
  return (
    <Card
      title="When a limit is reached"
      description="The request gets status 429 and uses no tokens. Wait for the number of seconds in Retry-After, then retry; the OpenAI libraries do this automatically, except for daily and monthly quotas."
    >
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
        <CodeBlock title="Response" language="http" code={response} />
        <div className="flex flex-col gap-4">
          <dl className="flex flex-col gap-3 text-sm">
            {headers.map(({ name, means }) => (
              <div key={name}>
                <dt className="font-mono">{name}</dt>
                <dd className="text-muted">{means}</dd>
              </div>
            ))}
          </dl>
          <p className="text-sm text-muted">
            503 is different: the service itself is at capacity or in maintenance. It also has Retry-After.
          </p>
          <div className="text-sm">
            <ArrowLink href="/docs/limits">Limits in the documentation</ArrowLink>
          </div>
        </div>
      </div>
    </Card>
  );
}

const headers = [
  {
    name: "x-ratelimit-limit-requests",
    means: "What the plan allows per minute. For tokens: …\u2011tokens.",
  },
  { name: "x-ratelimit-remaining-requests", means: "What is left. On every response, not only 429." },
  { name: "x-ratelimit-reset-requests", means: "When the full limit is available again: 120ms, 59s, 1m0s." },
  { name: "retry-after", means: "Seconds to wait, 1 to 59, or until a quota resets. On 429 and 503." },
];

const response = `HTTP/1.1 429 Too Many Requests
retry-after: 12
x-ratelimit-limit-requests: 60
x-ratelimit-remaining-requests: 0
x-ratelimit-reset-requests: 12s

{
  "error": {
    "message": "Rate limit reached: 60 requests per minute on the plan 'Free'. Try again in 12 s.",
    "type": "rate_limit_error",
    "param": null,
    "code": "rate_limit_exceeded"
  }
}`;
