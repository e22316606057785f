/**
 * The tool calls of one choice, from an engine's deltas to the order that our events have: a call begins once, with a
 * number, an id and its whole name, and its arguments follow before anything else does.
 *
 * Engines are known to differ from that:
 * - all calls have the index 0 (Ollama, and proxies before other engines): a name with another id, another name, or
 *   a name again after complete arguments begins a new call;
 * - each delta of a call has a new id (vLLM up to 0.8 for a named function), or the name again, or a piece of the name:
 *   the names of the request's tools distinguish a piece from a new call;
 * - ids are missing or repeated: such a call gets one of ours. Others stay as they are, since some chat templates
 *   (Kimi's, Mistral's) expect their own form of id back;
 * - calls are interleaved: deltas of a later one wait until the arguments before it are complete.
 *
 * Arguments that are not JSON at the end of a reply that was not cut short are the engine's failure: repairing them
 * would be guessing. What is buffered is bounded.
 */
import type { FinishReason } from "../../core/chat/reply.js";
import type { Tooling } from "../../core/chat/request.js";
import { isJson } from "../../core/is-json.js";
import type { GenerationEvent } from "../../core/serving/engine-port.js";
import { JsonScanner } from "../chat-format/parts/json-scanner.js";
import type { CallDelta } from "./chunk.js";
import { unavailable } from "./failures.js";

const maxCalls = 256;
/** Of all calls of a choice: ids, names and arguments. */
const maxChars = 1024 * 1024;
const maxIdChars = 256;

export class CallReader {
  readonly #known: readonly string[];
  readonly #maxCalls: number;
  /** In the order in which they began. */
  readonly #calls: Call[] = [];
  /** The latest call of each index, including those that are not passed on. */
  readonly #byIndex = new Map<number, Call>();
  readonly #ids = new Set<string>();
  #lastIndex = 0;
  /** Calls before this one have been emitted in full. */
  #emitted = 0;
  #begun = 0;
  #chars = 0;

  constructor(
    private readonly choice: number,
    tooling: Tooling | undefined,
    private readonly newId: () => string,
  ) {
    this.#known = tooling?.tools.map(({ name }) => name) ?? [];
    // Some engines ignore `parallel_tool_calls`. Without tools there is nobody to run a call.
    this.#maxCalls = tooling === undefined ? 0 : tooling.parallel ? maxCalls : 1;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  /** Whether a call that has begun still lacks arguments: what follows it has to wait for them. */
  get isOpen(): boolean {
    return this.#calls.some((call) => call.hasBegun && !call.isOver && !call.isComplete);
  }

  /** For the next call, where calls arrive in order. */
  get nextIndex(): number {
    return this.#byIndex.size;
  }

  /** Adds to `events` what is certain after this delta. */
  read(delta: CallDelta, events: GenerationEvent[]): void {
    const index = delta.index ?? this.#lastIndex;
    this.#lastIndex = index;
    this.#chars += delta.id.length + delta.name.length + delta.arguments.length;
    if (this.#chars > maxChars) throw unavailable("MALFORMED_CALL");
    const current = this.#byIndex.get(index);
    if (current === undefined) {
      const isEmpty = delta.id === "" && delta.name === "" && delta.arguments === "";
      if (!isEmpty) this.#begin(index, delta, false);
    } else if (this.#beginsAnother(current, delta)) this.#begin(index, delta, delta.name === current.name);
    else this.#continue(current, delta);
    this.#emit(events);
  }

  /** Something else follows: a call whose arguments have not begun by now has none. */
  closeEmpty(events: GenerationEvent[]): void {
    for (const call of this.#calls) call.closeIfEmpty();
    this.#emit(events);
  }

  /** The choice is over. Throws when one of its calls is invalid. */
  finish(reason: FinishReason, events: GenerationEvent[]): void {
    for (const call of this.#calls) {
      // A reply that was cut short may end anywhere in a call.
      if (reason !== "length") {
        call.closeIfEmpty();
        if (!call.isEcho && (call.name === "" || !isJson(call.text))) throw unavailable("MALFORMED_CALL");
      }
      call.isOver = true;
    }
    this.#emit(events);
  }

  #begin(index: number, delta: CallDelta, hasSameName: boolean): void {
    const replaced = this.#byIndex.get(index);
    if (replaced !== undefined) replaced.isOver = true;
    const call = new Call(delta.id);
    this.#byIndex.set(index, call);
    if (this.#byIndex.size > maxCalls) throw unavailable("MALFORMED_CALL");
    if (this.#calls.length < this.#maxCalls) this.#calls.push(call);
    else if (this.#maxCalls === maxCalls) throw unavailable("MALFORMED_CALL");
    call.name = delta.name;
    call.mayBeEcho = hasSameName;
    call.append(delta.arguments);
  }

  #continue(call: Call, delta: CallDelta): void {
    call.sentId ||= delta.id;
    if (delta.name !== "" && delta.name !== call.name) call.name += delta.name;
    call.append(delta.arguments);
  }

  #beginsAnother(call: Call, { id, name, arguments: text }: CallDelta): boolean {
    // Every call has a name; a delta without one continues the current call.
    if (name === "" || call.name === "") return false;
    if (name !== call.name) return !this.#isRestOfName(call, name);
    const hasOtherId = id !== "" && call.sentId !== "" && id !== call.sentId;
    return call.isComplete && (hasOtherId || text.trim() !== "");
  }

  #isRestOfName(call: Call, name: string): boolean {
    if (call.text !== "" || this.#known.includes(name)) return false;
    return this.#known.some((known) => known.startsWith(call.name + name));
  }

  #emit(events: GenerationEvent[]): void {
    for (;;) {
      const call = this.#calls[this.#emitted];
      if (call === undefined) return;
      this.#emitCall(call, events);
      const isPassed = (call.isOver || call.isComplete) && this.#emitted + 1 < this.#calls.length;
      if (!isPassed) return;
      this.#emitted += 1;
    }
  }

  #emitCall(call: Call, events: GenerationEvent[]): void {
    const { choice } = this;
    if (!call.hasBegun) {
      if (!this.#isNameWhole(call)) return;
      call.hasBegun = true;
      this.#begun += 1;
      events.push({ type: "call", choice, call: this.#begun - 1, id: this.#idOf(call), name: call.name });
    }
    const text = call.takeNew();
    if (text !== "") events.push({ type: "arguments", choice, call: this.#begun - 1, text });
  }

  #isNameWhole({ name, text, isOver, isEcho }: Call): boolean {
    if (name === "" || isEcho) return false;
    if (text !== "" || isOver) return true;
    return this.#known.includes(name) && !this.#known.some((one) => one !== name && one.startsWith(name));
  }

  #idOf({ sentId }: Call): string {
    const isUsable = sentId !== "" && sentId.length <= maxIdChars && !this.#ids.has(sentId);
    const id = isUsable ? sentId : this.newId();
    this.#ids.add(id);
    return id;
  }
}

class Call {
  name = "";
  text = "";
  /** No more of it will come. */
  isOver = false;
  hasBegun = false;
  /** It has the name of the call before it. With arguments it is another call; without, a repeated last delta. */
  mayBeEcho = false;
  #emittedChars = 0;
  /** Its arguments are a whole JSON value. Numbers never are: they end only where the text does. */
  isComplete = false;
  /** Null once the value is over, or invalid. */
  #scanner: JsonScanner | null = new JsonScanner();

  constructor(public sentId: string) {}

  get isEcho(): boolean {
    return this.mayBeEcho && this.text.trim() === "";
  }

  closeIfEmpty(): void {
    if (this.text.trim() !== "") return;
    this.isOver = true;
    if (!this.isEcho) this.append("{}");
  }

  append(text: string): void {
    this.text += text;
    for (const char of text) {
      const step = this.#scanner?.step(char);
      if (step === "last") this.isComplete = true;
      if (step === "last" || step === "after" || step === "wrong") this.#scanner = null;
      if (this.#scanner === null) return;
    }
  }

  takeNew(): string {
    const fresh = this.text.slice(this.#emittedChars);
    this.#emittedChars = this.text.length;
    return fresh;
  }
}
