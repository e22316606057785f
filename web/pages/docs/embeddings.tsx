import { Link } from "wouter";
import { baseUrl } from "../../base-url.ts";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { Section } from "./section.tsx";

export default function Embeddings() {
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        The model <code>iota</code> turns texts into vectors, for search and retrieval: texts that mean
        similar things have vectors that point in similar directions. Not every operator offers it.
      </p>
      <CodeBlock language="bash" code={request()} />
      <CodeBlock language="json" title="200 OK" code={reply} />
      <Section id="input" title="What is accepted">
        <ul>
          <li>
            <code>input</code> is a text, up to 2,048 texts, or the same as arrays of the model’s tokens. None
            may be empty, and each must fit the model’s context by itself.
          </li>
          <li>
            <code>encoding_format</code> is <code>float</code> or <code>base64</code>: little-endian float32,
            smaller and faster to read. OpenAI’s libraries ask for it by themselves.
          </li>
          <li>
            <code>dimensions</code> shortens the vectors, where the model was trained for that.
          </li>
        </ul>
        <p>
          Vectors have length 1: the dot product of two is their cosine, 1 for the same meaning. Vectors of
          different models cannot be compared; when the operator changes the model, embed everything again.
        </p>
      </Section>
      <Section id="rerank" title="Ranking">
        <p>
          <code>POST /v1/rerank</code> sorts documents by their relevance to a query, if the model supports
          it: see <code>capabilities.rerank</code> in the <Link href="/docs/models#list">list of models</Link>
          .
        </p>
        <CodeBlock language="bash" code={ranking()} />
        <p>
          Each result has the document’s <code>index</code> and a <code>relevance_score</code>. Compare only
          scores of one reply. <code>return_documents</code> repeats the texts.
        </p>
      </Section>
      <Section id="limits" title="Limits and privacy">
        <p>
          The tokens of the texts count as prompt tokens towards the same{" "}
          <Link href="/docs/limits">limits</Link>. Texts and vectors are processed in memory and neither
          stored nor logged. A vector can reveal much of its text: protect yours like the texts themselves.
        </p>
      </Section>
    </div>
  );
}

const request = () => `curl ${baseUrl()}/embeddings \\
  -H "Authorization: Bearer $SOTTO_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "iota", "input": ["The cat sleeps.", "A dog barks."]}'`;

const reply = `{
  "object": "list",
  "data": [
    {"object": "embedding", "index": 0, "embedding": [0.0527, -0.0311, …]},
    {"object": "embedding", "index": 1, "embedding": [-0.0172, 0.0645, …]}
  ],
  "model": "iota",
  "usage": {"prompt_tokens": 12, "total_tokens": 12}
}`;

const ranking = () => `curl ${baseUrl()}/rerank \\
  -H "Authorization: Bearer $SOTTO_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "iota", "query": "capital of France", "documents": ["Berlin", "Paris"], "top_n": 1}'`;
