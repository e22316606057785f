/**
 * A reply with marked places in it: reasoning, calls, and markers that mean nothing to the reader.
 *
 * Reasoning is looked for where nothing else has come before, or right after other markup: in the middle of a text
 * its marker is text, since models explain it. Markers of calls count everywhere, but only if the request has tools.
 * Families that write bare JSON have it looked for in the same places as reasoning.
 *
 * What a marker announces and is then no call becomes text, without the markers. Whitespace around markup is dropped.
 */
import type { CallSyntax, ReasoningSyntax } from "../reply-syntax.js";
import { oneOf, peek, skipSpace, upTo, type Input, type Reading } from "./input.js";
import { TrimmedText, type Output } from "./output.js";

/** What reads calls once their marker was read; empty for those that have none. False when there is no call. */
export type CallReader = (input: Input, output: Output, marker: string) => Reading<boolean>;

export interface MarkedOptions {
  reasoning: ReasoningSyntax | null;
  reasoningOpen: boolean;
  calls: CallMarkers | null;
  dropped: readonly string[];
}

export interface CallMarkers {
  /** Markers after which calls are read. */
  opens: readonly string[];
  /** What else belongs to calls and is never text. */
  around: readonly string[];
  /** Characters that a call without a marker begins with. */
  bare: readonly string[];
  read: CallReader;
}

export function* markedReply(input: Input, output: Output, options: MarkedOptions): Reading {
  const { reasoning, calls, dropped } = options;
  const everywhere = [...(calls?.opens ?? []), ...(calls?.around ?? []), ...dropped];
  const atStart = reasoning === null ? everywhere : [...everywhere, reasoning.open, reasoning.close];
  const textAfter = (isMarkup: boolean) =>
    new TrimmedText((part, waiting) => output.write("text", part, waiting), isMarkup);

  const beginsInReasoning = reasoning !== null && options.reasoningOpen;
  if (beginsInReasoning) yield* readReasoning(input, output, reasoning);
  let text = textAfter(beginsInReasoning);
  let isStart = true;
  for (;;) {
    const first = isStart ? yield* startOf(input, text, atStart, calls?.bare ?? []) : null;
    const marker = first ?? (yield* upTo(input, everywhere, (part) => text.write(part)));
    if (marker === null) {
      text.keepSpace();
      return;
    }
    isStart = true;
    if (dropped.includes(marker)) continue;
    if (calls !== null && (marker === bareCall || calls.opens.includes(marker))) {
      const isCall = yield* calls.read(input, output, marker);
      if (isCall) input.stopRecording();
      else if (input.takeBack()) {
        isStart = false;
        continue;
      }
    } else if (marker === reasoning?.open) yield* readReasoning(input, output, reasoning);
    text = textAfter(true);
  }
}

/**
 * Reasoning up to its closing marker, without the whitespace at its edges. An opening marker inside it is dropped:
 * models repeat the one that the prompt ends with.
 */
function* readReasoning(input: Input, output: Output, { open, close }: ReasoningSyntax): Reading {
  const text = new TrimmedText((part, waiting) => output.write("reasoning", part, waiting), true);
  output.beginReasoning();
  for (;;) {
    const marker = yield* upTo(input, [close, open], (part) => text.write(part));
    if (marker === null) text.keepSpace();
    else if (marker === close) {
      text.dropSpace();
      output.endReasoning();
    }
    if (marker !== open) return;
  }
}

const bareCall = "";

/** The marker that stands here, `bareCall` if it looks like a call without one, or null. */
function* startOf(
  input: Input,
  text: TrimmedText,
  markers: readonly string[],
  bare: readonly string[],
): Reading<string | null> {
  yield* skipSpace(input, (space) => text.write(space));
  const marker = yield* oneOf(input, markers);
  if (marker !== null) return marker;
  const next = yield* peek(input);
  return next !== null && bare.includes(next) ? bareCall : null;
}

export function markersOf(calls: CallSyntax, read: CallReader): CallMarkers {
  const { open, close, groupOpen, groupClose, payload } = calls;
  // Models of tagged families leave the outer marker out at times.
  const inner = payload.type === "tagged" ? payload.nameOpen : "";
  const isMarker = (marker: string) => marker !== "";
  return {
    opens: [open, inner].filter(isMarker),
    around: [groupOpen, groupClose, close].filter(isMarker),
    bare: open === "" ? (payload.type === "json" && payload.list ? ["{", "["] : ["{"]) : [],
    read,
  };
}
