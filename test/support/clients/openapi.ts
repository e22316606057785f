/**
 * Holds responses to two descriptions: our own docs/openapi.yaml, with its statuses, headers and media types,
 * and OpenAI's published schemas, which decide whether a strict client can read us.
 */
import { readFileSync } from "node:fs";
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "yaml";

const ours = "openapi.yaml";
const theirs = "openai.json";

const openApiDocument = readDocument(parse(readText("../../../docs/openapi.yaml")));

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { unixtime: true, date: true, uri: true },
});
ajv.addSchema(openApiDocument, ours);
ajv.addSchema(readDocument(nullableToUnion(JSON.parse(readText("./openai-schemas.json")))), theirs);

export interface SeenResponse {
  method: string;
  /** As in the document: `/v1/models/{id}`. */
  path: string;
  status: number;
  headers: Headers;
  body: string;
}

/** Throws with every difference between a response and what docs/openapi.yaml says of it. */
export function expectDocumented({ method, path, status, headers, body }: SeenResponse): void {
  const at = ["paths", path, method.toLowerCase(), "responses", String(status)];
  const found = follow(at);
  for (const [name, location] of found.children("headers")) {
    const value = headers.get(name);
    if (value === null && openApiAt(...follow(location).path, "required") === false) continue;
    if (value === null) throw new Error(`${method} ${path} ${status} lacks the header ${name}.`);
    check(ours, [...follow(location).path, "schema"], value, `header ${name}`);
  }
  const mediaType = (headers.get("content-type") ?? "").split(";")[0] ?? "";
  const content = found.children("content").find(([name]) => name === mediaType)?.[1];
  if (content === undefined) throw new Error(`${method} ${path} ${status} has no media type ${mediaType}.`);
  const value: unknown = mediaType === "application/json" ? JSON.parse(body) : body;
  check(ours, [...content, "schema"], value, `${method} ${path} ${status}`);
}

/** Throws unless the value fits this schema of ours. */
export const expectOurs = (name: string, value: unknown): void => {
  check(ours, ["components", "schemas", name], value, name);
};

/** Throws unless the value fits this schema of OpenAI's. */
export const expectOpenAi = (name: string, value: unknown): void => {
  check(theirs, ["components", "schemas", name], value, name);
};

const validators = new Map<string, ValidateFunction>();

function check(document: string, path: readonly string[], value: unknown, what: string): void {
  const ref = `${document}#/${path.map(escapePointer).join("/")}`;
  const validate = validators.get(ref) ?? ajv.compile({ $ref: ref });
  validators.set(ref, validate);
  if (!validate(value))
    throw new Error(`${what}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value)}`);
}

/** Follows a reference at the end of the path. */
function follow(path: readonly string[]) {
  const $ref = openApiAt(...path, "$ref");
  const target = typeof $ref === "string" ? $ref.replace("#/", "").split("/") : path;
  if (openApiAt(...target) === undefined) throw new Error(`docs/openapi.yaml has no ${target.join(" > ")}.`);
  return {
    path: target,
    children: (name: string) =>
      openApiKeys(...target, name).map((key): [string, string[]] => [key, [...target, name, key]]),
  };
}

/** What our document has at a path; undefined where it has nothing. */
export function openApiAt(...path: string[]): unknown {
  let node: unknown = openApiDocument;
  for (const step of path) node = childrenOf(node)[step];
  return node;
}

export const openApiKeys = (...path: string[]): string[] => Object.keys(childrenOf(openApiAt(...path)));

const childrenOf = (node: unknown): Record<string, unknown> =>
  typeof node === "object" && node !== null ? { ...node } : {};

/** Their document still says `nullable`, beside references too, where a validator ignores it. */
function nullableToUnion(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(nullableToUnion);
  if (typeof node !== "object" || node === null) return node;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, nullableToUnion(value)]),
  );
  return nullable === true ? { anyOf: [rest, { type: "null" }] } : rest;
}

function readDocument(value: unknown): AnySchemaObject {
  if (typeof value !== "object" || value === null) throw new Error("A document is an object.");
  return value;
}

function readText(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

const escapePointer = (step: string): string =>
  encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
