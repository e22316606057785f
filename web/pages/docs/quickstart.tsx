import { Link } from "wouter";
import { clientGroups, connectClients } from "../../../src/connect/clients.js";
import { ChatCode } from "../../chat-code.tsx";
import { CodeBlock, CodeTabs } from "../../components/text/code-block.tsx";
import { useSite } from "../../service/queries.ts";
import { baseUrl } from "../../base-url.ts";
import { librarySamples } from "../../snippets.ts";
import { Section } from "./section.tsx";

export default function Quickstart() {
  const { data: site } = useSite();
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        Sotto uses the format of the OpenAI API. If you have code for it, change the base URL and the key, and
        name one of our models.
      </p>
      <CodeBlock code={baseUrl()} title="Base URL" />
      <Section id="key" title="1. Get a key">
        {site?.me == null ? (
          <p>
            <Link href="/sign-up">Create an account</Link> with an email address and a password; it is free
            and needs no payment card. Then create a key under <Link href="/app/keys">Keys</Link>.
          </p>
        ) : (
          <p>
            Create one under <Link href="/app/keys">Keys</Link> in the dashboard.
          </p>
        )}
        <p>
          It is shown once. Keep it on your server: it must not appear in client-side code, in public
          repositories or in requests from a browser.
        </p>
        <CodeBlock language="bash" code={`export SOTTO_API_KEY="sk-sotto-…"`} />
      </Section>
      <Section id="request" title="2. Send a request">
        <p>
          With curl, or with the official OpenAI library for Python, Node or Go. Programs that you cannot edit
          often read the address and the key from environment variables.
        </p>
        <ChatCode />
        <p>The reply:</p>
        <CodeBlock language="json" title="200 OK" code={reply} />
      </Section>
      <Section id="libraries" title="Other libraries">
        <p>Anything that lets you set a base URL works the same way.</p>
        <CodeTabs label="Library" samples={librarySamples()} />
        <p>
          Libraries that speak the <Link href="/docs/responses">Responses API</Link> or the{" "}
          <Link href="/docs/messages">Messages API</Link> work too.
        </p>
      </Section>
      <Section id="clients" title="Clients">
        <p>
          The <Link href="/app/connect">Connect page</Link> has the configuration of each of these, with the
          address, a model and your key filled in. It says which models a client works with, and can wait for
          its first request to tell whether it is connected.
        </p>
        <dl className="flex flex-col gap-3">
          {clientGroups.map((group) => (
            <div key={group} className="grid gap-x-6 gap-y-0.5 sm:grid-cols-[12rem_1fr]">
              <dt className="text-muted">{group}</dt>
              <dd className="flex flex-wrap gap-x-4 gap-y-1">
                {connectClients
                  .filter((client) => client.group === group)
                  .map((client) => (
                    <Link key={client.id} href={`/app/connect#${client.id}`}>
                      {client.name}
                    </Link>
                  ))}
              </dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section id="next" title="Next steps">
        <ul>
          <li>
            <Link href="/docs/streaming">Streaming</Link>: read the reply as it is generated.
          </li>
          <li>
            <Link href="/docs/tools">Tools</Link>: let the model call your functions.
          </li>
          <li>
            <Link href="/docs/api">API reference</Link>: every parameter, also as{" "}
            <a href="/openapi.json">an OpenAPI document</a>.
          </li>
          <li>
            <Link href="/docs/errors">Errors</Link> and <Link href="/docs/limits">limits</Link>: what can go
            wrong, and when to retry.
          </li>
        </ul>
      </Section>
    </div>
  );
}

const reply = `{
  "id": "chatcmpl-…",
  "object": "chat.completion",
  "created": 1763164800,
  "model": "omega",
  "choices": [
    {
      "index": 0,
      "message": { "role": "assistant", "content": "Hello.", "refusal": null },
      "logprobs": null,
      "finish_reason": "stop"
    }
  ],
  "usage": { "prompt_tokens": 23, "completion_tokens": 3, "total_tokens": 26 }
}`;
