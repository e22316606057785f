/**
 * The format of a call, from one that a template has written: what stands around the name and the arguments that we
 * put in. A guess, which `detectCalls` tests by reading the text back.
 */
import { JsonScanner } from "../parts/json-scanner.js";
import type { CallSyntax } from "../reply-syntax.js";
import { probeArguments, probeName } from "./probe.js";

const noGroup = { groupOpen: "", groupClose: "" };
const [keyA = "", keyB = ""] = Object.keys(probeArguments);
const [valueA = "", valueB = ""] = Object.values(probeArguments).map(String);

export function deriveCalls(turn: string, ending: string): CallSyntax | null {
  const text = ending !== "" && turn.endsWith(ending) ? turn.slice(0, -ending.length) : turn;
  return asJson(text) ?? asNamed(text) ?? asTagged(text);
}

/** `<open>{"name": "f", "arguments": {…}}<close>`, also in a list. */
function asJson(text: string): CallSyntax | null {
  const field = `"([^"]+)":\\s*`;
  const other = `(?:"[^"]*":\\s*(?:"[^"]*"|null),\\s*)*`;
  const call = new RegExp(`\\{\\s*${other}${field}"${probeName}",\\s*${other}${field}"?\\{`).exec(text);
  const [nameField, argumentsField] = [call?.[1], call?.[2]];
  if (call === null || nameField === undefined || argumentsField === undefined) return null;
  const end = endOfValue(text, call.index);
  if (end === null) return null;
  let [open, close] = [text.slice(0, call.index).trim(), text.slice(end).trim()];
  const list = open.endsWith("[") && close.startsWith("]");
  if (list) [open, close] = [open.slice(0, -1).trim(), close.slice(1).trim()];
  return { open, close, ...noGroup, payload: { type: "json", nameField, argumentsField, list } };
}

/** `<open>f<separator>{…}<close>` */
function asNamed(text: string): CallSyntax | null {
  const name = text.indexOf(probeName);
  const start = text.indexOf("{", name);
  if (name < 0 || start < 0) return null;
  const end = endOfValue(text, start);
  const [open, separator] = [text.slice(0, name).trim(), text.slice(name + probeName.length, start)];
  if (end === null || open === "" || separator.includes(keyA)) return null;
  const payload = { type: "named", prefix: "", idOpen: "", separator, suffix: "" } as const;
  return { open, close: text.slice(end).trim(), ...noGroup, payload };
}

/** The parts of an argument follow from comparing what stands before the first and before the second. */
function asTagged(text: string): CallSyntax | null {
  const words = [probeName, keyA, valueA, keyB, valueB];
  const pieces: string[] = [];
  let rest = text;
  for (const word of words) {
    const place = rest.indexOf(word);
    if (place < 0) return null;
    pieces.push(rest.slice(0, place));
    rest = rest.slice(place + word.length);
  }
  const [before = "", nameToKey = "", keyToValue = "", valueToKey = ""] = pieces;
  const keyOpen = sharedMarker(nameToKey, valueToKey);
  const [open = "", ...inner] = before.trim().split(/\s+/);
  if (open === "" || keyOpen === "") return null;
  const [, keyClose = "", valueOpen = ""] = /^([^>\]]*[>\]])([^]*)$/.exec(keyToValue) ?? [];
  const valueClose = valueToKey.slice(0, -keyOpen.length);
  const closer = valueClose.trim();
  if (keyClose === "" || closer === "" || !rest.includes(closer)) return null;
  const ends = rest
    .slice(rest.indexOf(closer) + closer.length)
    .trim()
    .split(/\s+/);
  return {
    open,
    close: ends.at(-1) ?? "",
    ...noGroup,
    payload: {
      type: "tagged",
      nameOpen: inner.join(" "),
      nameClose: nameToKey.slice(0, -keyOpen.length).trim(),
      keyOpen,
      keyClose,
      valueOpen: valueOpen.trim() === "" ? valueOpen : valueOpen.trim(),
      valueClose: valueClose.trimEnd(),
      end: ends.slice(0, -1).join(" "),
    },
  };
}

/** What both end with, from where its last tag begins. */
function sharedMarker(a: string, b: string): string {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length += 1;
  const shared = a.slice(a.length - length);
  const start = Math.max(shared.lastIndexOf("<"), shared.lastIndexOf("["));
  return start < 0 ? "" : shared.slice(start);
}

function endOfValue(text: string, start: number): number | null {
  const scanner = new JsonScanner();
  for (let index = start; index < text.length; index++) {
    const step = scanner.step(text.charAt(index));
    if (step === "last") return index + 1;
    if (step === "wrong") return null;
  }
  return null;
}
