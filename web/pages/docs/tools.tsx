import { Link } from "wouter";
import { CodeBlock, CodeTabs } from "../../components/text/code-block.tsx";
import { samplesIn } from "../../components/text/language-samples.ts";
import { baseUrl } from "../../base-url.ts";
import { Section } from "./section.tsx";
import { nodeLoop, nodeStream, pythonLoop, pythonStream, streamedCall } from "./tool-samples.ts";

export default function Tools() {
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        Describe your functions in <code>tools</code>, and the model can ask you to call them. It never runs
        anything itself: your program does, and sends back the results.
      </p>
      <Section id="loop" title="An agent loop">
        <p>
          A reply with calls has <code>"finish_reason": "tool_calls"</code>. Append its message to the
          conversation, then one <code>tool</code> message for each call with its <code>tool_call_id</code>,
          and ask again. Repeat until a reply has no calls, and limit the number of steps.
        </p>
        <CodeTabs samples={samplesIn({ python: pythonLoop(baseUrl()), node: nodeLoop(baseUrl()) })} />
        <p>
          <code>arguments</code> is valid JSON unless the reply was cut off by its token limit. Whether the
          values make sense is for your function to check: they are the model’s own words. When a call fails,
          say so in its result; the model can then try again.
        </p>
        <p>
          Every tool counts as prompt tokens. You can try tools without writing a program in the{" "}
          <Link href="/app/playground">playground</Link>, where you answer the calls by hand.
        </p>
      </Section>
      <Section id="choice" title="Tool choice">
        <p>
          <code>tool_choice</code> decides:
        </p>
        <ul>
          <li>
            <code>"auto"</code>, the default with tools: the model decides.
          </li>
          <li>
            <code>"required"</code>: it calls at least one function.
          </li>
          <li>
            <code data-long>{`{"type": "function", "function": {"name": "get_weather"}}`}</code>: it calls
            this one.
          </li>
          <li>
            <code>"none"</code>: it calls none.
          </li>
        </ul>
        <p>
          One reply may contain several calls; <code>"parallel_tool_calls": false</code> limits it to one.
        </p>
      </Section>
      <Section id="strict" title="Strict arguments">
        <p>
          With <code>"strict": true</code> in a function, or when a call is required, the arguments follow the
          schema in <code>parameters</code>: it is enforced while they are generated. Without either, the
          schema guides the model and the arguments are valid JSON.
        </p>
      </Section>
      <Section id="streaming" title="Reading a streamed call">
        <p>
          The first fragment of a call has its <code>id</code> and the function’s name, the ones after it only
          pieces of <code>arguments</code>. Calls of one reply are told apart by <code>index</code>. Here each
          event is shown on several lines:
        </p>
        <CodeBlock title="text/event-stream" language="json" code={streamedCall} />
        <p>Join the pieces of each call, and parse them once the stream has ended:</p>
        <CodeTabs samples={samplesIn({ python: pythonStream, node: nodeStream })} />
        <p>
          See <Link href="/docs/streaming">Streaming</Link> for the rest of the events.
        </p>
      </Section>
      <Section id="reasoning" title="Reasoning">
        <p>
          A reasoning model returns its reasoning in <code>message.reasoning_content</code>, or in a stream in{" "}
          <code>delta.reasoning_content</code>, before the reply. It is never mixed into <code>content</code>.
          It counts as completion tokens and towards <code>max_tokens</code>;{" "}
          <code data-long>usage.completion_tokens_details.reasoning_tokens</code> has the number.
        </p>
        <p>
          <code>"reasoning_effort": "none"</code> turns reasoning off if the model supports that;{" "}
          <code>"low"</code>, <code>"medium"</code> and <code>"high"</code> set how much. Between calls, send
          the reasoning back with the message, as the loops above do: some models continue from it.
        </p>
      </Section>
      <Section id="privacy" title="Privacy">
        <p>
          Names, schemas, arguments and results are part of the request data: they are processed in memory and
          neither stored nor logged, <Link href="/docs/privacy">like everything else you send</Link>.
        </p>
      </Section>
    </div>
  );
}
