import { isKeyword } from "./keywords.js";
import type { Work } from "./work.js";
import { isSchemaObject, SchemaError, type Path, type Schema } from "./schema.js";

const maxHops = 50;
const longestReference = 1000;

/** Finds what `$ref` points to: places in the same schema, by JSON pointer. */
export class References {
  constructor(
    private readonly root: Schema,
    readonly work: Work,
  ) {}

  /** The schema at the end of a chain of references, with the path it was reached by. */
  resolve(schema: unknown, path: Path): unknown {
    this.work.compare(1);
    let current = schema;
    for (let hops = 0; isSchemaObject(current) && isOnlyReference(current); hops++) {
      if (hops === maxHops) throw new SchemaError([...path, "$ref"], "it leads in a circle");
      current = this.target(current["$ref"], path);
    }
    return current;
  }

  target(reference: unknown, path: Path): unknown {
    const fault = (reason: string) => new SchemaError([...path, "$ref"], reason);
    if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) {
      throw fault("only places in the same schema can be referred to, such as '#/$defs/item'");
    }
    if (reference.length > longestReference) {
      throw fault(`expected at most ${longestReference} characters`);
    }
    let found: unknown = this.root;
    for (const encoded of reference.split("/").slice(1)) {
      const step = decode(encoded).replaceAll("~1", "/").replaceAll("~0", "~");
      const place: unknown = found;
      if (typeof place !== "object" || place === null || !Object.hasOwn(place, step)) {
        throw fault("there is no such place in the schema");
      }
      found = Object.getOwnPropertyDescriptor(place, step)?.value;
    }
    return found;
  }
}

/** Whether the reference says all, and what stands beside it constrains nothing. */
export function isOnlyReference(schema: Schema): boolean {
  return "$ref" in schema && Object.keys(schema).every((key) => key === "$ref" || !isKeyword(key));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
