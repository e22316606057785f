/** From the JSON body of `POST /v1/rerank` to a task. The order of the statements is the order of errors. */
import type { ParsedRequest } from "../dialect.js";
import {
  atMost,
  bodyObject,
  boolean,
  integer,
  isObject,
  nonEmptyArray,
  nonEmptyString,
  optional,
  required,
  string,
  wrongType,
  type Reader,
} from "../read-json.js";
import { maxInputs, taskRequest } from "../task-request.js";

const resultCount = integer(1, 2 ** 31 - 1);

export function readRerankRequest(value: unknown): ParsedRequest {
  const body = bodyObject(value);
  const model = required(body, "model", nonEmptyString);
  const query = required(body, "query", nonEmptyString);
  const documents = required(body, "documents", readDocuments);
  const topN = optional(body, "top_n", resultCount) ?? documents.length;
  const returnsDocuments = optional(body, "return_documents", boolean) ?? false;
  return {
    chat: taskRequest(model, { type: "rank", query, documents }),
    ranking: { topN, returnsDocuments },
  };
}

const readDocuments: Reader<string[]> = (value, path) =>
  atMost(maxInputs, nonEmptyArray(value, path), path).map((item, index) =>
    document(item, `${path}[${index}]`),
  );

const document: Reader<string> = (value, path) => {
  if (typeof value === "string") return string(value, path);
  if (isObject(value)) return required(value, "text", string, path);
  throw wrongType(path, "a string or an object with 'text'", value);
};
