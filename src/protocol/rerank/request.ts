/** From the JSON body of `POST /v1/rerank` to a task. The order of the statements is the order of errors. */
import type { ParsedRequest } from "../dialect.js";
import type { Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { maxInputs, taskRequest } from "../task-request.js";

const resultCount = json.integer(1, 2 ** 31 - 1);

export function readRerankRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", json.nonEmptyString);
  const query = json.required(body, "query", json.nonEmptyString);
  const documents = json.required(body, "documents", readDocuments);
  const topN = json.optional(body, "top_n", resultCount) ?? documents.length;
  const returnsDocuments = json.optional(body, "return_documents", json.boolean) ?? false;
  return {
    chat: taskRequest(model, { type: "rank", query, documents }),
    ranking: { topN, returnsDocuments },
  };
}

const readDocuments: Reader<string[]> = (value, path) =>
  json
    .atMost(maxInputs, json.nonEmptyArray(value, path), path)
    .map((item, index) => document(item, `${path}[${index}]`));

const document: Reader<string> = (value, path) => {
  if (typeof value === "string") return json.string(value, path);
  if (json.isObject(value)) return json.required(value, "text", json.string, path);
  throw json.wrongType(path, "a string or an object with 'text'", value);
};
