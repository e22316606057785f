/** What clients of `/v1/responses` rely on, strictly: a field too many is an error like one too few. */
import { z } from "zod";

const status = z.enum(["in_progress", "completed", "incomplete"]);
const token = { token: z.string(), logprob: z.number(), bytes: z.array(z.number()) };
const logprobs = z.array(z.strictObject({ ...token, top_logprobs: z.array(z.strictObject(token)) }));

const outputText = z.strictObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.tuple([]),
  logprobs,
});
const reasoningText = z.strictObject({ type: z.literal("reasoning_text"), text: z.string() });
const summaryText = z.strictObject({ type: z.literal("summary_text"), text: z.string() });

const item = z.discriminatedUnion("type", [
  z.strictObject({
    id: z.string().regex(/^msg_\w{24,}$/),
    type: z.literal("message"),
    status,
    role: z.literal("assistant"),
    content: z.array(outputText),
  }),
  z.strictObject({
    id: z.string().regex(/^rs_\w{24,}$/),
    type: z.literal("reasoning"),
    status,
    summary: z.array(summaryText).max(1),
    content: z.array(reasoningText),
  }),
  z.strictObject({
    id: z.string().regex(/^fc_\w{24,}$/),
    type: z.literal("function_call"),
    status,
    call_id: z.string().min(1),
    name: z.string().min(1),
    namespace: z.string().optional(),
    arguments: z.string(),
  }),
]);

export type Item = z.infer<typeof item>;

const count = z.int().min(0);

const functionTool = z.strictObject({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean(),
});
const namespaceTool = z.strictObject({
  type: z.literal("namespace"),
  name: z.string(),
  description: z.string(),
  tools: z.array(functionTool),
});

export const responseShape = z.strictObject({
  id: z.string().regex(/^resp_\w{24,}$/),
  object: z.literal("response"),
  access_programs: z.null(),
  created_at: z.int(),
  status: z.enum(["in_progress", "completed", "incomplete", "failed"]),
  background: z.literal(false),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.strictObject({ reason: z.literal("max_output_tokens") }).nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: count.nullable(),
  metadata: z.record(z.string(), z.unknown()),
  model: z.string(),
  output: z.array(item),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.null(),
  reasoning: z.strictObject({ effort: z.string().nullable(), summary: z.string().nullable() }),
  service_tier: z.literal("default"),
  store: z.literal(false),
  temperature: z.number(),
  text: z.strictObject({ format: z.looseObject({ type: z.string() }) }),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]),
  tools: z.array(z.discriminatedUnion("type", [functionTool, namespaceTool])),
  top_logprobs: count,
  top_p: z.number(),
  truncation: z.literal("disabled"),
  usage: z
    .strictObject({
      input_tokens: count,
      input_tokens_details: z.strictObject({ cached_tokens: count, cache_write_tokens: count }),
      output_tokens: count,
      output_tokens_details: z.strictObject({ reasoning_tokens: count }),
      total_tokens: count,
    })
    .optional(),
  user: z.string().optional(),
});

export type ResponseShape = z.infer<typeof responseShape>;

const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), sequence_number: count, ...fields });
const state = { response: responseShape };
const whole = { output_index: count, item };
const at = { output_index: count, item_id: z.string() };
const inSummary = { ...at, summary_index: z.literal(0) };
const inPart = { ...at, content_index: count };
const part = z.discriminatedUnion("type", [outputText, reasoningText]);

export const eventShape = z.discriminatedUnion("type", [
  event("response.created", state),
  event("response.in_progress", state),
  event("response.output_item.added", whole),
  event("response.reasoning_summary_part.added", { ...inSummary, part: summaryText }),
  event("response.reasoning_summary_text.delta", { ...inSummary, delta: z.string().min(1) }),
  event("response.reasoning_summary_text.done", { ...inSummary, text: z.string() }),
  event("response.reasoning_summary_part.done", { ...inSummary, part: summaryText }),
  event("response.content_part.added", { ...inPart, part }),
  event("response.output_text.delta", { ...inPart, delta: z.string(), logprobs }),
  event("response.output_text.done", { ...inPart, text: z.string(), logprobs }),
  event("response.reasoning_text.delta", { ...inPart, delta: z.string().min(1) }),
  event("response.reasoning_text.done", { ...inPart, text: z.string() }),
  event("response.content_part.done", { ...inPart, part }),
  event("response.function_call_arguments.delta", { ...at, delta: z.string().min(1) }),
  event("response.function_call_arguments.done", { ...at, name: z.string(), arguments: z.string() }),
  event("response.output_item.done", whole),
  event("response.completed", state),
  event("response.incomplete", state),
  event("response.failed", state),
]);

export type ResponseEvent = z.infer<typeof eventShape>;
