/**
 * Every endpoint of the APIs that clients may expect here: OpenAI's, Anthropic's and Ollama's, and our own. What the
 * service answers to one that it does not have comes from this table, and so does the page that lists them; a test holds
 * it against the routes.
 */

export type ApiName = "OpenAI" | "Anthropic" | "Ollama" | "Sotto";

export interface Endpoint {
  api: ApiName;
  /** `any`: whatever the method. */
  method: "GET" | "POST" | "DELETE" | "any";
  /** As it is shown: `/v1/models/{id}`. */
  path: string;
  /** Whatever is below the path belongs to it. */
  below?: true;
  status: "supported" | "refused" | "not planned";
  /** For one that is not supported: why, and what to do instead. A sentence or two. For others: what it is. */
  text: string;
}

const row =
  (api: ApiName, status: Endpoint["status"]) =>
  (method: Endpoint["method"], path: string, text: string): Endpoint => ({
    api,
    method,
    // `/v1/files/*` is that path, and all below it.
    ...(path.endsWith("/*") ? { path: path.slice(0, -2), below: true } : { path }),
    status,
    text,
  });

const openAi = row("OpenAI", "supported");
const openAiRefused = row("OpenAI", "refused");
const openAiUnplanned = row("OpenAI", "not planned");
const anthropic = row("Anthropic", "supported");
const anthropicRefused = row("Anthropic", "refused");
const anthropicUnplanned = row("Anthropic", "not planned");
const ollama = row("Ollama", "supported");
const ollamaRefused = row("Ollama", "refused");
const ollamaUnplanned = row("Ollama", "not planned");
const own = row("Sotto", "supported");

const noReplies =
  "Nothing is stored here, so there are no replies to retrieve or delete: keep those that you receive.";
const noFiles =
  "Nothing is stored here, and there are no files: send what the model should read as text in the conversation.";
const noBatches =
  "Nothing is stored here, so there are no batches: send the requests one by one, several at a time if your plan allows it.";
const noThreads =
  "Nothing is stored here, and there are no assistants or threads: send the whole conversation to POST /v1/responses or POST /v1/chat/completions.";
const noSpeech = "The models neither hear nor speak: transcribe or synthesize speech with another service.";
const noPictures = "The models write text: generate images and videos with another service.";
const noAgents =
  "Nothing is stored or run here: run the agent in your own program, and call POST /v1/messages from it.";
const byOperator = "Accounts, keys and limits are managed in the dashboard.";
const modelsByOperator =
  "The operator chooses which models there are, in the dashboard or with 'sotto models'; GET /api/tags lists them.";

export const endpoints: readonly Endpoint[] = [
  openAi("POST", "/v1/chat/completions", "Chat completions, whole or streamed."),
  openAi("POST", "/v1/responses", "Responses, whole or streamed, without state."),
  openAi("POST", "/v1/responses/compact", "A conversation as a summary that is sealed for its account."),
  openAi("GET", "/v1/models", "The models."),
  openAi("GET", "/v1/models/{id}", "One model, by its name or an alias."),
  openAi("POST", "/v1/completions", "Continues a text, or fills in what is missing between two."),
  openAi("POST", "/v1/embeddings", "Vectors of texts."),
  openAiRefused("GET", "/v1/chat/completions", noReplies),
  openAiRefused("any", "/v1/chat/completions/{id}/*", noReplies),
  openAiRefused(
    "POST",
    "/v1/responses/input_tokens",
    "POST /v1/messages/count_tokens counts the tokens of a prompt, and every reply says in 'usage' how many it had.",
  ),
  openAiRefused("any", "/v1/responses/{id}/*", noReplies),
  openAiRefused(
    "any",
    "/v1/conversations/*",
    "Nothing is stored here: send the whole conversation in 'input' of POST /v1/responses.",
  ),
  openAiRefused("any", "/v1/assistants/*", noThreads),
  openAiRefused("any", "/v1/threads/*", noThreads),
  openAiRefused("any", "/v1/files/*", noFiles),
  openAiRefused("any", "/v1/uploads/*", noFiles),
  openAiRefused(
    "any",
    "/v1/vector_stores/*",
    "Nothing is stored here: keep the vectors of your documents in a database of your own.",
  ),
  openAiRefused("any", "/v1/batches/*", noBatches),
  openAiRefused("any", "/v1/audio/*", noSpeech),
  openAiRefused("any", "/v1/realtime/*", noSpeech),
  openAiRefused("any", "/v1/images/*", noPictures),
  openAiRefused("any", "/v1/videos/*", noPictures),
  openAiRefused(
    "POST",
    "/v1/moderations",
    "Nothing that you send is judged here: ask a model to classify a text, with POST /v1/chat/completions and a JSON schema.",
  ),
  openAiRefused(
    "any",
    "/v1/fine_tuning/*",
    "Nothing is trained here: the operator can put weights that were trained elsewhere behind a model.",
  ),
  openAiRefused(
    "DELETE",
    "/v1/models/{id}",
    "The operator chooses which models there are, in the dashboard or with 'sotto models'.",
  ),
  openAiUnplanned("any", "/v1/evals/*", "Run evaluations in your own program."),
  openAiUnplanned("any", "/v1/containers/*", "No code runs here: run it in your own program, as a tool."),
  openAiUnplanned("any", "/v1/skills/*", "Put the instructions into the conversation."),
  openAiUnplanned("any", "/v1/chatkit/*", "Use the playground, or a chat program of your own."),
  openAiUnplanned(
    "any",
    "/v1/content_provenance_checks/*",
    "The models write text, which carries no watermark.",
  ),
  openAiUnplanned("any", "/v1/organization/*", byOperator),
  openAiUnplanned("any", "/v1/projects/*", byOperator),

  anthropic("POST", "/v1/messages", "Messages, whole or streamed."),
  anthropic("POST", "/v1/messages/count_tokens", "The tokens of a prompt."),
  anthropic("GET", "/v1/models", "The models, in this API's shape with 'anthropic-version'."),
  anthropic("GET", "/v1/models/{id}", "One model, in this API's shape with 'anthropic-version'."),
  anthropicRefused("any", "/v1/messages/batches/*", noBatches),
  anthropicRefused("any", "/v1/files/*", noFiles),
  anthropicRefused("POST", "/v1/complete", "Use POST /v1/messages."),
  anthropicUnplanned("any", "/v1/agents/*", noAgents),
  anthropicUnplanned("any", "/v1/sessions/*", noAgents),
  anthropicUnplanned("any", "/v1/environments/*", noAgents),
  anthropicUnplanned("any", "/v1/deployments/*", noAgents),
  anthropicUnplanned("any", "/v1/deployment_runs/*", noAgents),
  anthropicUnplanned("any", "/v1/memory_stores/*", noAgents),
  anthropicUnplanned("any", "/v1/dreams/*", noAgents),
  anthropicUnplanned("any", "/v1/vaults/*", noAgents),
  anthropicUnplanned("any", "/v1/tunnels/*", noAgents),
  anthropicUnplanned("any", "/v1/skills/*", "Put the instructions into the conversation."),
  anthropicUnplanned("any", "/v1/user_profiles/*", byOperator),
  anthropicUnplanned("any", "/v1/organizations/*", byOperator),

  ollama("POST", "/api/chat", "Chat, whole or streamed as lines of JSON."),
  ollama("POST", "/api/generate", "A reply to one prompt."),
  ollama("POST", "/api/embed", "Vectors of texts."),
  ollama("POST", "/api/embeddings", "A vector of one text."),
  ollama("GET", "/api/tags", "The models."),
  ollama("POST", "/api/show", "One model."),
  ollama("GET", "/api/ps", "The models that are loaded."),
  ollama("GET", "/api/version", "The version of Ollama that this API follows."),
  ollamaRefused("any", "/api/pull", modelsByOperator),
  ollamaRefused("any", "/api/push", modelsByOperator),
  ollamaRefused("any", "/api/create", modelsByOperator),
  ollamaRefused("any", "/api/copy", modelsByOperator),
  ollamaRefused("any", "/api/delete", modelsByOperator),
  ollamaRefused("any", "/api/blobs/*", modelsByOperator),
  ollamaUnplanned("GET", "/api/status", "Belongs to Ollama's own cloud. The dashboard uses this path."),
  ollamaUnplanned("POST", "/api/me", "Belongs to an account at ollama.com. The dashboard uses this path."),
  ollamaUnplanned("any", "/api/signout", "Belongs to an account at ollama.com."),
  ollamaUnplanned("any", "/api/user/*", "Belongs to an account at ollama.com."),
  ollamaUnplanned("any", "/api/web_search", "Search in your own program, as a tool."),
  ollamaUnplanned("any", "/api/web_fetch", "Fetch pages in your own program, as a tool."),
  ollamaUnplanned("any", "/api/experimental/*", "May change with any version of Ollama."),
  ollamaUnplanned("POST", "/v1/systemone", "Ask for the answer in a JSON schema, with POST /api/chat."),

  own(
    "POST",
    "/v1/rerank",
    "Documents sorted by their relevance to a query, in the format of Cohere and Jina.",
  ),
  own("GET", "/v1/key", "What a key may use, and what is left of its limits."),
];

/** By path: the longer first, and those for one method before those for any. */
const byPath = endpoints
  .map((endpoint) => ({ endpoint, pattern: patternOf(endpoint) }))
  .sort(
    ({ endpoint: a }, { endpoint: b }) =>
      b.path.length - a.path.length || Number(a.method === "any") - Number(b.method === "any"),
  );

/** The row that a path belongs to. */
export const endpointAt = (method: string, path: string): Endpoint | undefined =>
  byPath.find(
    ({ endpoint, pattern }) =>
      (endpoint.method === "any" || endpoint.method === method) && pattern.test(path),
  )?.endpoint;

/** Whether an API has anything at this path. */
export const hasPath = (api: ApiName, path: string): boolean =>
  byPath.some(({ endpoint, pattern }) => endpoint.api === api && pattern.test(path));

/** Why there is no such endpoint, and what to do instead. */
export const absence = ({ path, text }: Endpoint): string => `This service does not offer ${path}. ${text}`;

function patternOf({ path, below }: Endpoint): RegExp {
  const source = path.replace(/\{\w+\}/g, "[^/]+");
  return new RegExp(`^${source}${below === true ? "(?:/.*)?" : ""}/?$`);
}
