import { Link } from "wouter";
import { CodeBlock, CodeTabs } from "../../../components/text/code-block.tsx";
import { samplesIn } from "../../../components/text/language-samples.ts";
import { baseUrl } from "../../../base-url.ts";
import { Section } from "../section.tsx";
import {
  responsesConversation,
  responsesCurl,
  responsesEvents,
  responsesNode,
  responsesPython,
  responsesStreamCurl,
  responsesStreamNode,
  responsesStreamPython,
} from "./responses-samples.ts";

export default function Responses() {
  const url = baseUrl();
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        <code>POST /v1/responses</code> answers in the format of OpenAI’s Responses API, the default of many
        newer libraries. Same keys, models, limits and privacy as <Link href="/docs">chat completions</Link>.
      </p>
      <CodeTabs
        samples={samplesIn({
          curl: responsesCurl(url),
          python: responsesPython(url),
          node: responsesNode(url),
        })}
      />
      <Section id="stateless" title="Nothing is stored">
        <p>
          Each request carries its whole conversation. Append the <code>output</code> of a reply to the next{" "}
          <code>input</code>:
        </p>
        <CodeBlock language="javascript" title="Node" code={responsesConversation(url)} />
        <p>
          <code>store</code> is accepted and answered with <code>false</code>. Parameters that require storage
          are refused with 400 <code>unsupported_parameter</code>: <code>previous_response_id</code>,{" "}
          <code>conversation</code>, <code>prompt</code> and <code>"background": true</code>. There are no
          responses to retrieve, list or delete.
        </p>
        <p>
          The AI SDK’s <code>openai()</code> provider refers to items of earlier replies by their ids instead
          of repeating them. That works for ten minutes after an item was last used, as long as the server
          that generated it has it in memory, encrypted; other replicas do not have it. For conversations that
          last longer, set <code data-long>{"providerOptions: { openai: { store: false } }"}</code> or use{" "}
          <code>openai.chat()</code>. With <code>"store": false</code> nothing is kept.
        </p>
      </Section>
      <Section id="streaming" title="Streaming">
        <p>
          With <code>"stream": true</code>, which the libraries’ own helpers set, the reply arrives as
          server-sent events:
        </p>
        <CodeTabs
          samples={samplesIn({
            curl: responsesStreamCurl(url),
            python: responsesStreamPython(url),
            node: responsesStreamNode(url),
          })}
        />
        <p>
          The name of an event is its <code>type</code>, and <code>sequence_number</code> counts from 0. A
          reply begins with <code>response.created</code> and <code>response.in_progress</code>. Each item of
          the output is framed by <code>response.output_item.added</code> and{" "}
          <code>response.output_item.done</code>. Between them arrive <code>response.output_text.delta</code>{" "}
          for text, <code data-long>response.function_call_arguments.delta</code> for a call and{" "}
          <code>response.reasoning_text.delta</code> for reasoning.
        </p>
        <CodeBlock title="text/event-stream" language="json" code={responsesEvents} />
        <p>
          The last event is <code>response.completed</code>, <code>response.incomplete</code> when the reply
          was cut by its token limit, or <code>response.failed</code>. It has the whole response and its
          usage. There is no <code>[DONE]</code>.
        </p>
      </Section>
      <Section id="fields" title="What is accepted">
        <ul>
          <li>
            <code>input</code>: a string, or items of the types <code>message</code>,{" "}
            <code>function_call</code>, <code>function_call_output</code>, <code>reasoning</code> and{" "}
            <code>item_reference</code>, with text and <code>input_image</code> parts. For a model that reads
            text only, each image is replaced by a sentence, and the header <code>sotto-ignored</code> says
            so. In a history from another service, calls of other tools are treated as function calls, and
            items that only that service can read are ignored.
          </li>
          <li>
            <code>instructions</code>, <code>max_output_tokens</code>, <code>temperature</code>,{" "}
            <code>top_p</code>, <code>top_logprobs</code>, <code>reasoning.effort</code>,{" "}
            <code>reasoning.summary</code> (repeats the reasoning for clients that show only its summary), and{" "}
            <code>text.format</code> for JSON that follows a schema.
          </li>
          <li>
            <code>tools</code> of the type <code>function</code>, also in a <code>namespace</code>,{" "}
            <code>tool_choice</code> and <code>parallel_tool_calls</code>. Tools of other types, such as a web
            search, are refused, since this service executes no tools. For Codex, which always sends one, they
            are ignored and named in the header <code>sotto-ignored</code>.
          </li>
          <li>
            Accepted without effect: <code>include</code>, <code>metadata</code>, <code>truncation</code>,{" "}
            <code>prompt_cache_key</code>, <code>service_tier</code>, <code>user</code>.
          </li>
        </ul>
        <p>
          See <Link href="/docs/tools">Tools</Link> for how calls work; only the format differs here.
        </p>
      </Section>
      <Section id="compaction" title="Compaction">
        <p>
          <code>POST /v1/responses/compact</code> replaces a long conversation by a summary that the model
          writes. It comes back in an item <code>compaction</code>, encrypted for your account: send the items
          of <code>output</code> in place of the conversation, followed by what comes next. Nothing of it is
          stored; another account’s item, or a damaged one, is refused. Codex does the same with an item{" "}
          <code>compaction_trigger</code> at the end of <code>input</code>.
        </p>
      </Section>
      <Section id="errors" title="Errors">
        <p>
          Errors before the reply have the same statuses, codes and body as everywhere:{" "}
          <Link href="/docs/errors">Errors</Link>. Once a stream has begun, an error is the{" "}
          <code>response.failed</code> event, with <code>response.error</code>.
        </p>
      </Section>
    </div>
  );
}
