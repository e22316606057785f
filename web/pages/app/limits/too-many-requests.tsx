import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { CodeBlock } from "../../../components/text/code-block.tsx";

/** What a program sees at a limit. */
export function TooManyRequests() {
  return (
    <Card
      title="When a limit is reached"
      description="The request is refused with status 429 and consumes nothing else. Wait for as many seconds as Retry-After says, then send it again; the OpenAI libraries do so by themselves."
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
            503 is something else: the service itself is at capacity or in maintenance. It carries Retry-After
            too.
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
  { name: "x-ratelimit-limit-requests", means: "What the plan allows in a minute. For tokens: …-tokens." },
  { name: "x-ratelimit-remaining-requests", means: "What is left of it. On every answer, not only on 429." },
  { name: "x-ratelimit-reset-requests", means: "When it is whole again: 120ms, 59s, 1m0s." },
  { name: "retry-after", means: "Whole seconds to wait, from 1 to 59. On 429 and 503." },
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
