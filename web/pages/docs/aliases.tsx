import { Link } from "wouter";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { baseUrl } from "../../base-url.ts";
import { Section } from "./section.tsx";

export default function Aliases() {
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        Some programs only accept certain model names. The operator can map such names to <code>omega</code>,{" "}
        <code>prism</code>, <code>lambda</code> and <code>iota</code>.
      </p>
      <Section id="use" title="Using an alias">
        <p>
          Send it as <code>model</code>, in any of the APIs. By default every name that begins with{" "}
          <code>claude-</code> means <code>omega</code>, so that programs for the{" "}
          <Link href="/docs/messages">Messages API</Link> work unchanged, and every name that begins with{" "}
          <code>text-embedding-</code> means <code>iota</code>. The operator may have set other aliases, or
          none.
        </p>
        <ul>
          <li>The reply names the model that answered, not the alias. So do usage and limits.</li>
          <li>A key’s permissions apply to the model behind the alias.</li>
          <li>
            <code>omega</code>, <code>prism</code>, <code>lambda</code> and <code>iota</code> always mean
            themselves.
          </li>
          <li>
            A name that is neither a model nor an alias gets 404 <code>model_not_found</code>.
          </li>
        </ul>
      </Section>
      <Section id="look-up" title="Looking one up">
        <p>
          <code>{"GET /v1/models/{alias}"}</code> has the limits of the model behind it, which it names in{" "}
          <code>alias_of</code>:
        </p>
        <CodeBlock
          language="bash"
          code={`curl ${baseUrl()}/models/claude-sonnet-4-5 \\
  -H "Authorization: Bearer $SOTTO_API_KEY"`}
        />
        <CodeBlock language="json" title="200 OK" code={reply} />
        <p>
          The list at <code>GET /v1/models</code> has the models; exact aliases follow them where the operator
          chose to list them. Patterns such as <code>claude-*</code> are never listed.
        </p>
      </Section>
      <Section id="operators" title="For operators">
        <p>
          Aliases are set in the configuration, which is read at start, or with <code>sotto apply</code>.{" "}
          <code>*</code> stands for any characters; exact names come before patterns, then the first match
          decides.
        </p>
        <CodeBlock
          language="bash"
          code={`SOTTO_MODEL_ALIASES='gpt-4o-mini=lambda,gpt-*=omega,claude-*=omega'
SOTTO_LIST_ALIASES=true`}
        />
      </Section>
    </div>
  );
}

const reply = `{
  "id": "claude-sonnet-4-5",
  "object": "model",
  "alias_of": "omega",
  "context_length": 32768,
  "max_output_tokens": 4096,
  …
}`;
