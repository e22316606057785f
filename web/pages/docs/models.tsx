import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { isChatModelId, modelIds } from "../../../src/core/models.js";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { ModelFactList, StarterNote } from "../../components/models/model-facts.tsx";
import { ModelMark } from "../../components/models/model-name.tsx";
import { SkeletonLines } from "../../components/states/skeleton.tsx";
import { StateBadge } from "../../components/states/state-badge.tsx";
import { defaultReplyText } from "../../default-reply.ts";
import { queries, useSite } from "../../service/queries.ts";
import { baseUrl } from "../../base-url.ts";
import { Section } from "./section.tsx";

export default function Models() {
  const { data: status } = useQuery(queries.status);
  const { data: site } = useSite();
  const { data, isPending } = useQuery(queries.models);
  // The model facts are above the text, which would otherwise shift when they load.
  if (isPending)
    return (
      <div className="min-h-screen">
        <SkeletonLines lines={8} />
      </div>
    );
  const models = data?.models ?? [];
  const offered = modelIds.filter((id) => isChatModelId(id) || models.some((model) => model.id === id));
  return (
    <div className="prose">
      <p className="text-lg text-muted">
        The name in <code>model</code> selects one. <code>omega</code>, <code>prism</code> and{" "}
        <code>lambda</code> chat: they share one endpoint, one set of parameters and one privacy promise.{" "}
        <code>iota</code> computes <Link href="/docs/embeddings">embeddings</Link>, where the operator offers
        it.
      </p>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface !p-0 !list-none">
        {offered.map((id) => {
          const state = status?.models.find((model) => model.id === id)?.state;
          const facts = models.find((model) => model.id === id);
          return (
            <li key={id} className="!mt-0 px-5 py-4">
              <div className="flex items-center gap-4">
                <ModelMark model={id} className="size-6 text-accent" />
                <span className="flex-1 font-medium">{id}</span>
                {state !== undefined && <StateBadge state={state} />}
              </div>
              {facts?.description != null && <p className="!mt-3 wrap-anywhere">{facts.description}</p>}
              {facts !== undefined && <ModelFactList facts={facts} className="!mt-3 !mb-0" />}
            </li>
          );
        })}
      </ul>
      <StarterNote models={models} />
      <Section id="behind" title="Weights and engines">
        <p>
          The operator decides which weights and which engine serve each name, and may change them. Each
          change drafts an entry of the <Link href="/changelog">changelog</Link>, which the operator
          publishes. All of them run on hardware the operator controls. Current availability is on the{" "}
          <Link href="/status">status page</Link>.
        </p>
      </Section>
      <Section id="list" title="Listing models">
        <p>
          The list is the same for every key. Which of them a key may use is set when the key is created; a
          request for another model gets 403 <code>insufficient_permissions</code>. Other names can be mapped
          to them: <Link href="/docs/aliases">Model aliases</Link>.
        </p>
        <p>
          Each entry has <code>context_length</code> and <code>max_output_tokens</code>, what it can do under{" "}
          <code>capabilities</code> (<code>tools</code>, <code>json_schema</code>, <code>reasoning</code>,{" "}
          <code>logprobs</code>, <code>vision</code>, <code>chat</code>, <code>infill</code>,{" "}
          <code>embeddings</code>, <code>rerank</code>), the <code>fallback</code> that answers while it
          cannot, and the operator’s <code>description</code> where there is one.
        </p>
        <CodeBlock
          language="bash"
          code={`curl ${baseUrl()}/models -H "Authorization: Bearer $SOTTO_API_KEY"`}
        />
      </Section>
      <Section id="context" title="Length">
        <p>
          Prompt and reply together must fit into the model’s context. A prompt that is too long is refused
          with <code>context_length_exceeded</code>. Without <code>max_tokens</code> a reply has at most{" "}
          {site === undefined ? "what the operator set for the model" : defaultReplyText(site, null)}; ask for
          more with it, up to what the context and your plan leave. A reply that was cut ends with{" "}
          <code>finish_reason: "length"</code>.
        </p>
      </Section>
    </div>
  );
}
