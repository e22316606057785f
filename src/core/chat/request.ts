/**
 * A chat request as the rest of the program sees it: parsed, defaulted, free of OpenAI's variants.
 * Each API translates its own from a JSON body (src/protocol/dialect.ts).
 */

export type ChatRole = "system" | "user" | "assistant" | "tool";

export interface ChatMessage {
  role: ChatRole;
  /** With a sentence in the place of each image. */
  content: string;
  /** The content with its images, in order; undefined without any. For engines that can see. */
  parts?: readonly ContentPart[];
  /** Of an assistant's turn: the calls it made. Not empty. */
  toolCalls?: readonly ToolCall[];
  /** Of an assistant's turn: its reasoning, where the client sent it back. */
  reasoning?: string;
  /** Of a tool's result: the call that it answers, made by an assistant's turn before it. */
  toolCallId?: string;
}

export type ContentPart = { type: "text"; text: string } | ({ type: "image" } & Image);

export interface Image {
  /** A data URL of a picture, or an address where the operator allows them. */
  url: string;
  detail?: "auto" | "low" | "high";
  /** Where it is in the request, for errors. */
  path?: string;
}

/** A prompt without a conversation: it reaches the model as it is. */
export type RawPrompt =
  | { type: "text"; text: string }
  | { type: "tokens"; tokens: readonly number[] }
  /** What stands before and after the text that is wanted. */
  | { type: "infill"; prefix: string; suffix: string };

/** Texts, or tokens of the model that answers. */
export type VectorInput = string | readonly number[];

/** What is computed instead of a reply. */
export type VectorTask =
  /** A vector for each input, of length 1. `dimensions`: only so many numbers of each, scaled to length 1 again. */
  | { type: "embed"; inputs: readonly VectorInput[]; dimensions: number | undefined }
  /** How relevant each document is to the query. */
  | { type: "rank"; query: string; documents: readonly string[] };

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text as the model wrote it; whether it parses is not checked in what clients send back. */
  arguments: string;
}

export interface Tool {
  name: string;
  description: string | undefined;
  /** JSON schema of the arguments; undefined: an object without any. */
  parameters: Readonly<Record<string, unknown>> | undefined;
  /** Whether calls must follow the schema in everything. */
  strict: boolean;
  /** Its place in the list that the client sent, where some before it were left out. */
  position?: number;
}

/** The tools that a reply may call. */
export interface Tooling {
  /** At least one. */
  tools: readonly Tool[];
  /** `required`: the reply calls at least one. */
  choice: "auto" | "required";
  /** Whether a reply may make several calls. */
  parallel: boolean;
}

/** How long a reasoning model may think; undefined leaves it to the model. */
export type ReasoningEffort = "none" | "low" | "medium" | "high";

export interface Sampling {
  temperature: number;
  topP: number;
  /** Whether the client chose `top_p` itself: model defaults that trim the tail step aside then. */
  topPGiven: boolean;
  frequencyPenalty: number;
  presencePenalty: number;
  seed: number | undefined;
  /** Added to the logits of these tokens of the model. */
  logitBias: readonly (readonly [token: number, bias: number])[];
}

/**
 * What the reply must be. A `json_schema` is as the client sent it: whether it can be followed is the engine's to say.
 * `strict`: what cannot be enforced is refused rather than ignored.
 */
export type ReplyFormat =
  | { type: "text" }
  | { type: "json_object" }
  | { type: "json_schema"; name: string; schema: Readonly<Record<string, unknown>>; strict?: boolean };

/** How many choices the reply has. */
export const choicesOf = ({ choices, morePrompts = [] }: ChatRequest): number =>
  choices * (1 + morePrompts.length);

export type ServiceTier = "default" | "flex";

export interface ChatRequest {
  /** As sent; whether such a model exists is judged later, in the contract's order of errors. */
  model: string;
  /** Empty where there is a raw prompt or a task instead. */
  messages: ChatMessage[];
  rawPrompt?: RawPrompt | undefined;
  /** Further prompts, each with as many choices, which are numbered on in this order. */
  morePrompts?: readonly RawPrompt[];
  task?: VectorTask | undefined;
  sampling: Sampling;
  stop: string[];
  /** Whether the reply names the stop sequence that ended it. */
  namesStop?: boolean | undefined;
  /** For each choice, as the client asked; undefined: the model's default. */
  maxTokens: number | undefined;
  /** How many replies to the same prompt, sampled independently. */
  choices: number;
  /** How many alternatives to name beside each token of the reply; undefined: no log probabilities at all. */
  topLogprobs: number | undefined;
  format: ReplyFormat;
  /** What the reply may call; undefined: nothing. */
  tooling: Tooling | undefined;
  reasoningEffort: ReasoningEffort | undefined;
  /** The client did not choose it: it is the API's default. */
  isEffortImplied?: boolean | undefined;
  /** `flex`: it waits behind all others. Absent where the client asked for none. */
  serviceTier?: ServiceTier;
  stream: boolean;
  includeUsage: boolean;
}
