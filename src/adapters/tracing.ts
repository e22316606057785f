/**
 * OpenTelemetry traces, for operators who ask for them with the standard OTLP settings. One span for each
 * request, made when the request is over from the same names and numbers that the log line has: there is no
 * span open while content is at hand, and no attribute that could hold any. A caller's `traceparent` is
 * honoured when it has the standard form, so that its own traces go on here.
 *
 * Spans leave in batches. When the collector is unreachable they are dropped once the batch queue is full; requests
 * never wait for it.
 */
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { ErrorCode } from "../core/errors.js";
import { isChatModelId, type ModelId } from "../core/models.js";

export interface TracedRequest {
  requestId: string;
  /** As written in the route table. */
  route: string;
  method: string;
  status: number;
  code: ErrorCode | "none";
  model: ModelId | undefined;
  promptTokens: number | undefined;
  completionTokens: number | undefined;
  queuedMs: number | undefined;
  firstTokenMs: number | undefined;
  durationMs: number;
  endedAt: Date;
  traceparent: string | undefined;
}

export interface TracingOptions {
  /** Address of the collector without `/v1/traces`, as in OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  headers: Record<string, string>;
  serviceName: string;
  version: string;
}

const longestExportMs = 10_000;

export class Tracing {
  readonly #provider: BasicTracerProvider;

  constructor({ endpoint, headers, serviceName, version }: TracingOptions) {
    const exporter = new OTLPTraceExporter({
      url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
      headers,
      timeoutMillis: longestExportMs,
    });
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ "service.name": serviceName, "service.version": version }),
      spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: 2_048 })],
    });
  }

  record(request: TracedRequest): void {
    const { method, route, model, code, status, durationMs, endedAt } = request;
    const startTime = new Date(endedAt.getTime() - durationMs);
    const name = model === undefined ? `${method} ${route}` : `${operationOf(model)} ${model}`;
    const span = this.#provider
      .getTracer("sotto")
      .startSpan(
        name,
        { kind: SpanKind.SERVER, startTime, attributes: attributesOf(request) },
        parentOf(request.traceparent),
      );
    // A client's mistake is not an error of the service.
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    span.end(endedAt);
  }

  /** Sends what is in the batch queue, within a time limit. */
  async close(): Promise<void> {
    await this.#provider.shutdown().catch(() => undefined);
  }
}

/** As the conventions of OpenTelemetry name them. */
const operationOf = (model: ModelId): string => (isChatModelId(model) ? "chat" : "embeddings");

/** The library leaves out what is undefined. */
const attributesOf = (request: TracedRequest): Attributes => ({
  "http.request.method": request.method,
  "http.route": request.route,
  "http.response.status_code": request.status,
  "error.type": request.code === "none" ? undefined : request.code,
  "gen_ai.operation.name": request.model === undefined ? undefined : operationOf(request.model),
  "gen_ai.request.model": request.model,
  "gen_ai.usage.input_tokens": request.promptTokens,
  "gen_ai.usage.output_tokens": request.completionTokens,
  "sotto.request_id": request.requestId,
  "sotto.queue_ms": request.queuedMs,
  "sotto.first_token_ms": request.firstTokenMs,
});

/** Only ids of the standard form; anything else begins a trace of its own. */
function parentOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags ?? "0", 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
