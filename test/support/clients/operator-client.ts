/** A program that uses the operator's API. Every reply is held to docs/openapi-operator.yaml. */
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "yaml";
import type { Answer } from "../processes/browser-requests.js";

interface Operation {
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, { content: Record<string, { schema: object }> }> };
}

const name = "openapi-operator.yaml";
const text = readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");
const document = parse(text) as Document;

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(document, name);

/** `GET /api/v1/plans/{id}`, and so on. */
export const describedOperations = (): string[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

export class OperatorClient {
  constructor(
    private readonly url: string,
    private readonly key: string | null,
  ) {}

  /** `path` is below /api/v1. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        ...(this.key === null ? {} : { authorization: `Bearer ${this.key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const received = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    const answer = {
      ...{ status: response.status, headers: response.headers, text: received },
      json: isJson ? (JSON.parse(received) as unknown) : null,
    };
    requireDescribed(method, `/api/v1${path.split("?")[0] ?? ""}`, answer);
    return answer;
  }

  /** Throws unless it worked, and returns the JSON. */
  async must<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, json, text: received } = await this.send(method, path, body);
    if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${received}`);
    return json as T;
  }
}

/** Throws with every difference between a reply and what the document says of it. */
function requireDescribed(method: string, path: string, { status, headers, json }: Answer): void {
  const described = operationOf(method, path);
  // What is no address of the API has no description.
  if (described === null) return;
  const [key, { responses }] = described;
  // What a program must tell apart is described by its status; the other errors have one description.
  const isOwn = [200, 404, 409].includes(status);
  const response = responses[isOwn ? String(status) : "default"];
  if (response === undefined) throw new Error(`${method} ${key} answered ${status}, which is not described.`);
  const shared = document.components.responses[response.$ref?.split("/").at(-1) ?? ""];
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  const schema = (response.content ?? shared?.content)?.[type]?.schema;
  if (schema === undefined) throw new Error(`${method} ${key} ${status} has no media type ${type}.`);
  const validate = validatorOf(schema);
  if (type === "application/json" && !validate(json)) {
    throw new Error(
      `${method} ${key} ${status}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(json)}`,
    );
  }
}

function operationOf(method: string, path: string): [string, Operation] | null {
  const matching = Object.keys(document.paths).filter((key) =>
    new RegExp(`^${key.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
  // A word in a path goes before what varies.
  const [key] = matching.sort((a, b) => a.split("{").length - b.split("{").length);
  const operation = key === undefined ? undefined : document.paths[key]?.[method.toLowerCase()];
  return key === undefined || operation === undefined ? null : [key, operation];
}

const validators = new Map<object, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const resolved = JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${name}#/`)) as object;
  const made = ajv.compile(resolved);
  validators.set(schema, made);
  return made;
}
