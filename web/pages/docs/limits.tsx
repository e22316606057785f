import { Link } from "wouter";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { Section } from "./section.tsx";

const headers = [
  { name: "x-ratelimit-limit-requests", text: "Requests allowed per minute." },
  { name: "x-ratelimit-remaining-requests", text: "Requests left now." },
  {
    name: "x-ratelimit-reset-requests",
    text: "Time until the full limit is available again: 120ms, 59s, 1m0s.",
  },
  { name: "x-ratelimit-limit-tokens", text: "Tokens allowed per minute." },
  { name: "x-ratelimit-remaining-tokens", text: "Tokens left now." },
  { name: "x-ratelimit-reset-tokens", text: "Time until the full limit is available again." },
];

const quotaHeaders = [
  {
    name: "x-ratelimit-limit-tokens-day",
    text: "Tokens allowed per day. Others end in requests-day, tokens-month and requests-month.",
  },
  { name: "x-ratelimit-remaining-tokens-day", text: "Tokens left today." },
  { name: "x-ratelimit-reset-tokens-day", text: "Time until the quota resets: 5h12m40s." },
];

const parameters = [
  { name: "temperature", text: "0 to 2" },
  { name: "top_p", text: "0 to 1" },
  { name: "frequency_penalty, presence_penalty", text: "−2 to 2 each" },
  { name: "stop", text: "at most 16 sequences" },
  { name: "Content-Type", text: "application/json, UTF-8" },
];

export default function Limits() {
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        A plan sets how many requests and tokens an account may use per minute, and how many requests may run
        concurrently. The dashboard shows your limits and current use under{" "}
        <Link href="/app/limits">Limits</Link>; programs can <Link href="/docs/key">query their key</Link>.
      </p>
      <Section id="headers" title="Headers">
        <p>Every authenticated response has these headers, in the format client libraries know:</p>
        <Definitions rows={headers} />
      </Section>
      <Section id="exceeded" title="When a limit is reached">
        <p>
          The response is 429 <code>rate_limit_exceeded</code>. The message says which limit was reached, or
          does not have enough left for the request, its value and when to retry; <code>Retry-After</code> has
          the same for programs, in whole seconds: from 1 to 59, or, for a daily or monthly quota, the time
          until its reset, with <code>x-should-retry: false</code>, which tells client libraries not to retry.
        </p>
        <CodeBlock language="http" title="429" code={refused} />
        <p>
          Limits apply per account: all its keys and the playground share them. Tokens are counted for prompts
          and replies together. A request’s maximum is reserved when it starts and corrected when it ends, so
          a lower <code>max_tokens</code> leaves more room for the next one. A request that could use more
          than a whole limit of tokens, the plan’s or the key’s, is refused with 400{" "}
          <code>request_exceeds_limit</code>: waiting would not help.
        </p>
      </Section>
      <Section id="quotas" title="Daily and monthly quotas">
        <p>
          A plan or a key may also have quotas of requests and tokens per calendar day and month. A completion
          counts when it is admitted; refused and invalid requests do not. When a quota is used up, the
          response is 429 <code>rate_limit_exceeded</code>, and its message states when the quota resets.
          Where there are quotas, responses have their headers too:
        </p>
        <Definitions rows={quotaHeaders} />
      </Section>
      <Section id="busy" title="When the service is at capacity">
        <p>
          Requests wait in a queue that is scheduled fairly between accounts. When it is full, or a request
          has waited too long, the response is 503 <code>overloaded</code>, with <code>Retry-After</code> from
          the rate at which the queue is draining.
        </p>
      </Section>
      <Section id="retry" title="Retrying">
        <p>
          Wait for <code>Retry-After</code>, then retry, and double the wait after each failure. The official
          OpenAI libraries retry twice by default; raise that where a longer wait is better than a failure:
        </p>
        <CodeBlock language="python" code={`client = OpenAI(base_url=…, api_key=…, max_retries=5)`} />
        <p>
          Libraries treat long values differently. OpenAI’s for Node (6.49) and Anthropic’s for TypeScript
          (1.8) sleep for as long as <code>Retry-After</code> says; both companies’ libraries for Python
          ignore more than 60 seconds and retry after a few. That is why it is at most 59, except for quotas,
          where it is the true time until the reset, hours or days: there all of them obey{" "}
          <code>x-should-retry: false</code> and raise the error immediately. A program of your own should do
          the same, or wait until the time in the message.
        </p>
      </Section>
      <Section id="parameters" title="Parameters">
        <Definitions rows={parameters} />
      </Section>
    </div>
  );
}

function Definitions({ rows }: { rows: readonly { name: string; text: string }[] }) {
  return (
    <dl className="divide-y divide-line border-y border-line">
      {rows.map((row) => (
        <div key={row.name} className="grid gap-x-6 gap-y-0.5 py-2.5 sm:grid-cols-[19rem_1fr]">
          <dt className="font-mono text-sm break-words">{row.name}</dt>
          <dd className="text-sm text-muted">{row.text}</dd>
        </div>
      ))}
    </dl>
  );
}

const refused = `HTTP/1.1 429 Too Many Requests
retry-after: 12
x-ratelimit-limit-requests: 60
x-ratelimit-remaining-requests: 0
x-ratelimit-reset-requests: 12s`;
