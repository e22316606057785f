import { Link } from "wouter";
import { errorTable, type ErrorCode } from "../../../src/core/errors.js";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { InlineCode } from "./inline-code.tsx";
import { Section } from "./section.tsx";

interface StatusGroup {
  status: number;
  meaning: string;
  advice: string;
}

const groups: readonly StatusGroup[] = [
  { status: 400, meaning: "Bad request", advice: "Fix the request; retrying will not help." },
  { status: 401, meaning: "Unauthorized", advice: "Check the key." },
  { status: 403, meaning: "Forbidden", advice: "Use a key with the permission, or a different model." },
  { status: 404, meaning: "Not found", advice: "Check the path and the model’s name." },
  {
    status: 422,
    meaning: "Unprocessable",
    advice: "Only for encrypted bodies: fetch the key again and repeat the request.",
  },
  { status: 429, meaning: "Rate limited", advice: "Wait for the time in Retry-After, then retry." },
  { status: 500, meaning: "Internal server error", advice: "Retry after a brief pause." },
  { status: 503, meaning: "Service unavailable", advice: "Retry after Retry-After, with backoff." },
];

export default function Errors() {
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        Every error has a status from the list below and a JSON body with a message for people and a code for
        programs.
      </p>
      <CodeBlock language="json" title="Body of every error" code={body} />
      <p>
        <code>param</code> names the field in error, or is null. Messages never repeat what was sent. Every
        response has an <code>x-request-id</code>, which the operator can look up in the log. Once a stream
        has started, <Link href="/docs/streaming#errors">an error is the last event</Link>.
      </p>
      <p>
        The official libraries retry automatically on 429, 500 and 503, and honour <code>Retry-After</code>{" "}
        and <code>x-should-retry</code>.
      </p>
      {groups.map((group) => (
        <Section key={group.status} id={`status-${group.status}`} title={`${group.status} ${group.meaning}`}>
          <p className="text-muted">
            {group.advice} The type is <code>{typeOf(group.status)}</code>.
          </p>
          <Codes status={group.status} />
        </Section>
      ))}
    </div>
  );
}

function Codes({ status }: { status: number }) {
  return (
    <dl className="divide-y divide-line border-y border-line">
      {codesOf(status).map((code) => (
        <div key={code} id={code} className="grid gap-x-6 gap-y-1 py-3 sm:grid-cols-[16rem_1fr]">
          <dt className="font-mono text-sm font-medium break-all">{code}</dt>
          <dd className="text-sm">
            <InlineCode text={errorTable[code].when} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function codesOf(status: number): ErrorCode[] {
  return (Object.keys(errorTable) as ErrorCode[]).filter((code) => errorTable[code].status === status);
}

/** The type shared by all codes of a status. */
function typeOf(status: number): string {
  return [...new Set(codesOf(status).map((code) => errorTable[code].type))].join(", ");
}

const body = `{
  "error": {
    "message": "Missing or invalid API key. …",
    "type": "authentication_error",
    "param": null,
    "code": "invalid_api_key"
  }
}`;
