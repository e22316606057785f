/**
 * A completion over HTTP, whatever the dialect: `POST /v1/chat/completions` and its siblings. Every error up to the
 * first event of the reply is an HTTP status; a stream that is already open gets it as its last event. While its
 * model is being loaded, comments open it before it is admitted.
 *
 * The generator of a completion holds a sequence, a lease and reserved tokens. It is always run to its end or
 * returned, and that is waited for: its `finally` gives them back.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdmittedEvent, CompletionArrival } from "../../core/serving/completion.js";
import type { ReplyChoice, TaskEvent, Usage } from "../../core/chat/reply.js";
import { choicesOf } from "../../core/chat/request.js";
import { ReaderTooSlow, type GenerationEvent } from "../../core/serving/engine-port.js";
import { ChoiceFold } from "../../core/serving/choice-fold.js";
import type { ParsedRequest, Dialect, ReplyHead, StreamWriter } from "../../protocol/dialect.js";
import { dialects, type DialectName } from "../../protocol/dialects.js";
import type { ModelId } from "../../core/models.js";
import { admissionOf, callerOf } from "../connection/caller.js";
import { errorOf } from "../errors.js";
import { newCompletionId } from "../connection/ids.js";
import { defaultKeepAliveMs, defaultTimeouts, type HttpParts } from "../parts.js";
import { countedFirst } from "./auth.js";
import { skipHostedTools } from "./hosted-tools.js";
import { partyOf } from "../../core/serving/party.js";
import { settleImages } from "./images.js";
import { beginReceipt, onlyWithWholeReplies } from "../proof/receipt.js";
import { ReplyClock } from "./reply-clock.js";
import { EventStream } from "./sse.js";
import { streamFormats, type StreamFormat } from "./stream-format.js";

type Events = AsyncGenerator<CompletionArrival, void, undefined>;

/** Its route says `countsRequests`. */
export function complete(parts: HttpParts, name: DialectName) {
  const answer = answerIn(parts, name);
  return (request: FastifyRequest, reply: FastifyReply): Promise<object | string | undefined> =>
    countedFirst(admissionOf(request), () => answer(request, reply));
}

function answerIn(parts: HttpParts, name: DialectName) {
  const dialect: Dialect = dialects[name];
  const format = streamFormats[dialect.streamFormat ?? "server-sent-events"];
  return async (request: FastifyRequest, reply: FastifyReply): Promise<object | string | undefined> => {
    const { abort, trace, startedMs } = request.exchange;
    const [caller, admission] = [callerOf(request), admissionOf(request)];
    const { recentItems, summaries } = parts;
    const accountId = partyOf(caller, parts.fairness);
    request.exchange.receipt = beginReceipt(request.raw, parts.receipts, parts.clock);
    const read = await parts.bodies.read(name, request, reply);
    request.exchange.stream = read.chat.stream;
    skipHostedTools(read, request, reply);
    const resolved =
      dialect.resolve?.(read, {
        recall: (id) => recentItems?.recall(accountId, id),
        open: (summary) => summaries.open(accountId, summary),
      }) ?? read;
    const parsed = await settleImages(parts, dialect, resolved, request, reply);
    if (request.exchange.receipt !== null) requirePlaceForReceipt(dialect, parsed);

    const model = parts.completions.names.find(parsed.chat.model);
    const clock = new ReplyClock(parts.clock, startedMs, trace);
    const events = parts.completions.run(parsed.chat, caller, abort, trace, startedMs, admission);
    const head: ReplyHead = {
      id: newCompletionId(dialect.idPrefix),
      created: Math.floor(parts.clock.now().getTime() / 1000),
      model: model ?? parsed.chat.model,
      promptTokens: 0,
      seal: (summary) => summaries.seal(accountId, summary),
      times: () => clock.times(),
      ...(recentItems !== undefined && parsed.keepsItems === true
        ? { keep: (items) => recentItems.keep(accountId, items) }
        : {}),
    };
    const admit = async (): Promise<void> => {
      const { value: first } = await events.next();
      if (first === undefined || !isAdmission(first))
        throw new Error("A completion begins with its admission.");
      const { model, promptTokens, startedMs } = first;
      head.model = model;
      head.promptTokens = promptTokens;
      // A stream that comments have opened while the model was loading has sent its headers.
      if (!reply.raw.headersSent) reply.header("sotto-model", model);
      clock.noteAdmission(startedMs);
    };
    try {
      if (parsed.loadsOnly === true) {
        await parts.completions.count(parsed.chat, caller, abort.signal, startedMs, admission);
        return await dialect.reply(head, parsed, [nothing], noUsage);
      }
      if (parsed.chat.stream) {
        await sendStream(parts, request, reply, {
          events,
          admit,
          writer: dialect.stream(head, parsed),
          model,
          format,
        });
        return;
      }
      await admit();
      const whole = await wholeReply(dialect, events, head, parsed);
      if (typeof whole === "string") reply.type("application/json; charset=utf-8");
      return whole;
    } finally {
      await events.return();
    }
  };
}

function requirePlaceForReceipt({ streamFormat }: Dialect, { chat }: ParsedRequest): void {
  if (chat.stream && streamFormat === "json-lines") throw onlyWithWholeReplies();
}

const nothing: ReplyChoice = { parts: [], finishReason: "stop" };
const noUsage: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };

const isAdmission = (arrival: CompletionArrival): arrival is AdmittedEvent => "type" in arrival;

/** The events of the generation. */
const generated = (arrival: CompletionArrival): readonly GenerationEvent[] =>
  isAdmission(arrival) ? [] : arrival;

const isOfTask = (event: GenerationEvent): event is TaskEvent =>
  event.type === "vectors" || event.type === "scores";

async function wholeReply(
  dialect: Dialect,
  events: Events,
  head: ReplyHead,
  parsed: ParsedRequest,
): Promise<object | string> {
  // By hand: `Array.from` takes 3 µs of a request.
  const choices: ChoiceFold[] = [];
  for (let choice = choicesOf(parsed.chat); choice > 0; choice--) choices.push(new ChoiceFold());
  for await (const arrival of events) {
    for (const event of generated(arrival)) {
      if ("choice" in event) choices[event.choice]?.add(event);
      if (event.type === "done") {
        return dialect.reply(
          head,
          parsed,
          choices.map((choice) => choice.whole()),
          event.usage,
        );
      }
    }
  }
  throw new Error("A completion ends with its usage.");
}

interface StreamedReply {
  events: Events;
  /** Resolves when the completion is admitted. */
  admit: () => Promise<void>;
  writer: StreamWriter;
  /** Undefined where there is none by that name. */
  model: ModelId | undefined;
  format: StreamFormat;
}

async function sendStream(
  { keepAliveMs = defaultKeepAliveMs, timeouts, log, engineStatus }: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { events, admit, writer, model, format }: StreamedReply,
): Promise<void> {
  const stallMs = timeouts?.stallMs ?? defaultTimeouts.stallMs;
  // A request that waits for its turn can still be refused with a status; loading a model may take longer than a proxy's timeout.
  const isLoading = () => model !== undefined && engineStatus(model).state === "waking";
  const stream = new EventStream(reply, request.exchange.signal, { keepAliveMs, stallMs }, format, isLoading);
  try {
    await admit();
    stream.begin();
    for await (const arrival of events) {
      const drained = stream.send(
        generated(arrival).flatMap((event) => (isOfTask(event) ? [] : writer.write(event))),
      );
      if (drained !== undefined) await drained;
    }
    stream.endWithReceipt(writer.end(), request.exchange.trace.model);
  } catch (error) {
    stream.close();
    if (!stream.opened) throw error;
    if (error instanceof ReaderTooSlow) {
      stream.cut();
      return;
    }
    const shown = errorOf(error, request, log);
    if (shown !== null) stream.end(writer.fail(shown));
  }
}
