import { Link } from "wouter";
import { ChatCode } from "../../chat-code.tsx";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { Section } from "./section.tsx";

export default function Streaming() {
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        With <code>"stream": true</code> the reply arrives as server-sent events while it is generated.
      </p>
      <ChatCode stream />
      <Section id="events" title="The events">
        <p>
          Each event is one line, <code>data:</code> and a JSON object, followed by a blank line. The first
          chunk names the role; the fragments of <code>delta.content</code>, joined in order, are the reply.
          The last chunk has an empty <code>delta</code> and the <code>finish_reason</code>. The stream ends
          with <code>data: [DONE]</code>.
        </p>
        <CodeBlock title="text/event-stream" language="json" code={events} />
        <p>
          Each chunk also carries <code>id</code>, <code>object</code>, <code>created</code> and{" "}
          <code>model</code>, the same in all chunks of one stream. While nothing is ready, a comment line,{" "}
          <code>: keep-alive</code>, is sent about every 15 seconds; client libraries skip it.
        </p>
      </Section>
      <Section id="usage" title="Token counts">
        <p>
          Ask for them with <code data-long>{`"stream_options": {"include_usage": true}`}</code>. One more
          chunk is then sent before <code>[DONE]</code>, with an empty <code>choices</code> and the{" "}
          <code>usage</code>.
        </p>
      </Section>
      <Section id="errors" title="When it fails midway">
        <p>
          A request that is refused gets its status and a JSON body before any event. Once the stream has
          begun, an error is its last event, and no <code>[DONE]</code> follows:
        </p>
        <CodeBlock language="json" code={brokenEvent} />
        <p>
          See the codes under <Link href="/docs/errors">Errors</Link>.
        </p>
      </Section>
      <Section id="stopping" title="Stopping early">
        <p>
          Close the connection. Generation is cancelled immediately, whether the request was waiting, reading
          the prompt or writing, and only what was generated so far is counted.
        </p>
      </Section>
    </div>
  );
}

const events = `data: {…, "choices": [{"delta": {"role": "assistant", "content": "Hel"}, …}]}

data: {…, "choices": [{"delta": {"content": "lo."}, …}]}

data: {…, "choices": [{"delta": {}, "finish_reason": "stop", …}]}

data: [DONE]`;

const brokenEvent = `data: {"error": {"code": "engine_unavailable", "type": "server_error", …}}`;
