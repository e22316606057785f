import { Link } from "wouter";
import { CodeBlock, CodeTabs } from "../../../components/text/code-block.tsx";
import { samplesIn } from "../../../components/text/language-samples.ts";
import { Section } from "../section.tsx";
import { ollamaCurl, ollamaLines, ollamaNode, ollamaPython } from "./ollama-samples.ts";

export default function OllamaApi() {
  const { origin } = location;
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        For programs that speak Ollama’s API only: <code>/api/chat</code>, <code>/api/generate</code>,{" "}
        <code>/api/embed</code> and the lists of models. Same keys, models, limits and privacy as{" "}
        <Link href="/docs">chat completions</Link>.
      </p>
      <CodeBlock code={origin} title="Base URL, without /v1 and /api" />
      <CodeTabs
        samples={samplesIn({
          curl: ollamaCurl(origin),
          python: ollamaPython(origin),
          node: ollamaNode(origin),
        })}
      />
      <Section id="keys" title="Keys and model names">
        <p>
          Ollama has no keys; here every request needs one, as <code>Authorization: Bearer</code>. Open WebUI
          has a field for it in the settings of an Ollama connection. Models may be named with the tag{" "}
          <code>:latest</code>, as <code>/api/tags</code> lists them.
        </p>
      </Section>
      <Section id="streaming" title="Streaming">
        <p>
          Replies are streamed as lines of JSON unless <code>stream</code> is <code>false</code>. The last
          line has <code>done: true</code>, the number of tokens, and durations in nanoseconds. A stream that
          breaks off ends with <code>{'{"error": "…"}'}</code>.
        </p>
        <CodeBlock title="application/x-ndjson" language="json" code={ollamaLines} />
      </Section>
      <Section id="fields" title="What is accepted">
        <ul>
          <li>
            <code>messages</code> with <code>tool_calls</code>, <code>thinking</code> and <code>images</code>;{" "}
            <code>tools</code>, <code>format</code> (<code>json</code> or a schema), <code>think</code>,{" "}
            <code>logprobs</code>.
          </li>
          <li>
            <code>options</code>: <code>temperature</code>, <code>top_p</code>, <code>seed</code>,{" "}
            <code>stop</code>, <code>num_predict</code>, <code>frequency_penalty</code>,{" "}
            <code>presence_penalty</code>. Others, and <code>keep_alive</code>, have no effect: models are
            loaded as their operator chose.
          </li>
          <li>
            <code>/api/generate</code> with <code>system</code>, <code>raw</code> and <code>suffix</code>;{" "}
            <code>template</code> and <code>context</code> are refused.
          </li>
          <li>
            Pulling, creating, copying and deleting models is up to the operator: see{" "}
            <Link href="/docs/endpoints#ollama">Endpoints</Link>.
          </li>
        </ul>
      </Section>
    </div>
  );
}
