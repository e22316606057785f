/** What is known of a source and its file, in the shapes of the operator's page. Never a key. */
import { basename, join, resolve } from "node:path";
import type { SourceView, SpeedView, WeightsView } from "../../core/model-views.js";
import type { WeightsFacts } from "../gguf/gguf.js";
import type { MeasuredSpeed } from "../measured-speed.js";
import { firstExisting } from "./choose-source.js";
import { contextHere, type Machine } from "./fit-here.js";
import { describeMember, type ModelSource } from "./source.js";
import { embeddingStarterFile } from "../embedding-starter/embedding-starter.js";
import { starterFileNames } from "../starter/starter.js";

export function sourceView(source: ModelSource): SourceView {
  switch (source.type) {
    case "starter":
      return { type: "starter", label: "Starter weights", detail: "They come with Sotto." };
    case "embedding-starter":
      return { type: "starter", label: "Embedding starter", detail: "It comes with Sotto." };
    case "off":
      return { type: "off", label: "Off", detail: "" };
    case "weights":
      return { type: "weights", label: basename(source.path), detail: source.path };
    case "upstreams":
      return {
        type: "upstreams",
        label: source.upstreams.map((member) => hostOf(describeMember(member))).join(", "),
        detail: source.upstreams.map((member) => withoutSecrets(describeMember(member))).join(", "),
      };
  }
}

/** The file behind a source on this machine; null where there is none, or none yet. */
export function fileOf(folder: string, source: ModelSource): string | null {
  switch (source.type) {
    case "upstreams":
    case "off":
      return null;
    case "weights":
      return resolve(source.path);
    case "starter":
      return firstExisting(starterFileNames.map((name) => join(folder, name)));
    case "embedding-starter":
      return firstExisting([join(folder, embeddingStarterFile)]);
  }
}

export const weightsView = (facts: WeightsFacts, machine: Machine): WeightsView => ({
  bytes: facts.bytes,
  quantisation: facts.quantisation,
  hasChatTemplate: facts.hasChatTemplate,
  contextTokens: facts.contextTokens,
  here: contextHere(facts, machine),
});

export const speedView = (speed: MeasuredSpeed | null): SpeedView | null =>
  speed === null ? null : { tokensPerSecond: speed.tokensPerSecond, measuredAt: speed.at.toISOString() };

const hostOf = (text: string): string => (URL.canParse(text) ? new URL(text).host : basename(text));

function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return text;
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
