import { Link } from "wouter";
import { CodeBlock, CodeTabs } from "../../../components/text/code-block.tsx";
import { samplesIn } from "../../../components/text/language-samples.ts";
import { Section } from "../section.tsx";
import {
  countTokensNode,
  messagesCurl,
  messagesErrorBody,
  messagesEvents,
  messagesNode,
  messagesPython,
  messagesStreamCurl,
  messagesStreamNode,
  messagesStreamPython,
} from "./messages-samples.ts";

export default function Messages() {
  const { origin } = location;
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        <code>POST /v1/messages</code> answers in the format of Anthropic’s Messages API. Same keys, models,
        limits and privacy as <Link href="/docs">chat completions</Link>.
      </p>
      <CodeBlock code={origin} title="Base URL, without /v1: these libraries append it" />
      <CodeTabs
        samples={samplesIn({
          curl: messagesCurl(origin),
          python: messagesPython(origin),
          node: messagesNode(origin),
        })}
      />
      <Section id="names" title="Keys and model names">
        <p>
          The key goes into <code>x-api-key</code>, or into <code>Authorization: Bearer</code> as in the other
          APIs. <code>anthropic-version</code> and <code>anthropic-beta</code> are accepted; with the former,{" "}
          <code>/v1/models</code> answers in the shape of this API. Names that begin with <code>claude-</code>{" "}
          mean <code>omega</code> unless the operator decided otherwise: see{" "}
          <Link href="/docs/aliases">Model aliases</Link>.
        </p>
      </Section>
      <Section id="streaming" title="Streaming">
        <p>
          With <code>"stream": true</code>, which the libraries’ own helpers set, the reply arrives as
          server-sent events:
        </p>
        <CodeTabs
          samples={samplesIn({
            curl: messagesStreamCurl(origin),
            python: messagesStreamPython(origin),
            node: messagesStreamNode(origin),
          })}
        />
        <p>
          Each block of the reply begins with <code>content_block_start</code>, continues with{" "}
          <code>content_block_delta</code> (<code>text_delta</code>, <code>input_json_delta</code> for a call,{" "}
          <code>thinking_delta</code> for reasoning) and ends with <code>content_block_stop</code>.{" "}
          <code>message_delta</code> has the usage and the <code>stop_reason</code>: <code>end_turn</code>,{" "}
          <code>max_tokens</code>, <code>stop_sequence</code> or <code>tool_use</code>.
        </p>
        <CodeBlock title="text/event-stream" language="json" code={messagesEvents} />
      </Section>
      <Section id="counting" title="Counting tokens">
        <p>
          <code>POST /v1/messages/count_tokens</code> takes the same body and counts its prompt, without
          generating anything. It counts as one request and uses no tokens.
        </p>
        <CodeBlock language="javascript" title="Node" code={countTokensNode(origin)} />
      </Section>
      <Section id="fields" title="What is accepted">
        <ul>
          <li>
            <code>system</code>, and <code>messages</code> with <code>text</code>, <code>image</code>,{" "}
            <code>tool_use</code>, <code>tool_result</code> and <code>thinking</code> blocks. For a model that
            reads text only, each image is replaced by a sentence, and the header <code>sotto-ignored</code>{" "}
            says so. Documents other than plain text are refused.
          </li>
          <li>
            <code>max_tokens</code> (required), <code>temperature</code> from 0 to 1, <code>top_p</code>,{" "}
            <code>stop_sequences</code>, and <code>output_config.format</code> for JSON that follows a schema.
          </li>
          <li>
            <code>tools</code> with an <code>input_schema</code>, and <code>tool_choice</code>. Tools that
            would run on the service or that its models were trained on, such as a web search, are refused;
            for Claude Code they are ignored and named in the header <code>sotto-ignored</code>.
          </li>
          <li>
            <code>thinking</code> and <code>output_config.effort</code>: as in the original, reasoning is off
            unless requested.
          </li>
          <li>
            Accepted without effect: <code>metadata</code>, <code>service_tier</code>,{" "}
            <code>cache_control</code>.
          </li>
          <li>
            Not supported, and refused: <code>mcp_servers</code>, <code>container</code>, and an assistant
            message at the end to be continued (prefill). There are no batches or files, since nothing is
            stored.
          </li>
        </ul>
      </Section>
      <Section id="errors" title="Errors">
        <p>
          Errors have the Messages API’s shape, with the usual statuses (
          <Link href="/docs/errors">Errors</Link>):
        </p>
        <CodeBlock language="json" title="404" code={messagesErrorBody} />
        <p>
          The types are <code>invalid_request_error</code>, <code>authentication_error</code>,{" "}
          <code>permission_error</code>, <code>not_found_error</code>, <code>rate_limit_error</code>,{" "}
          <code>overloaded_error</code> and <code>api_error</code>. Once a stream has begun, an error is its
          last event, <code>error</code>.
        </p>
      </Section>
    </div>
  );
}
