/** Names of models as Ollama's clients write them: with a tag, which is `latest` where there is none. */
import type { Reader } from "../read-json.js";
import * as json from "../read-json.js";

const tag = ":latest";

export const modelName: Reader<string> = (value, path) => {
  const name = json.nonEmptyString(value, path);
  return name.endsWith(tag) ? json.nonEmptyString(name.slice(0, -tag.length), path) : name;
};

export const tagged = (id: string): string => `${id}${tag}`;
