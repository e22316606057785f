import { describe, expect, it } from "vitest";
import { isDeep } from "../../../../test/support/depth.js";
import { hostileSchemas } from "../../../../test/support/inputs/hostile-schemas.js";
import { schemaGrammar } from "./compile.js";
import { SchemaError } from "./schema.js";
import { Work } from "./parts.js";

/** As it comes out of a request: what JSON cannot say is gone. */
const asSent = (schema: object) => JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;

/** In characters. The rules have at most 20,000 elements, of which a range of characters is the longest. */
const longestGrammar = 1_000_000;

const count = isDeep ? 40_000 : 800;

describe("the compiler of schemas", () => {
  it("makes a grammar of bounded size or a refusal of thousands of random schemas, in a bounded number of steps", () => {
    const next = hostileSchemas(11);
    let compiled = 0;
    let refused = 0;
    let steps = 0;
    let most = 0;
    for (let index = 0; index < count; index++) {
      const schema = asSent(next());
      const work = new Work();
      try {
        const grammar = schemaGrammar(schema, { work, strict: index % 2 === 0 });
        compiled += 1;
        if (grammar.length > longestGrammar) expect.fail(`${grammar.length} characters, schema ${index}`);
      } catch (error) {
        if (!(error instanceof SchemaError)) throw new Error(`schema ${index}`, { cause: error });
        refused += 1;
        const isClosed = error.path.every((step) => typeof step === "number" || /^[$a-zA-Z]+$/.test(step));
        if (!isClosed) expect.fail(`a path of other words than keywords, schema ${index}`);
      }
      steps += work.spent;
      most = Math.max(most, work.spent);
    }
    // The compiler stops by itself there; most schemas stay far below.
    expect(most).toBeLessThanOrEqual(5_000_000);
    expect(steps / (compiled + refused)).toBeLessThan(10_000);
    // Both are worth little if the other hardly happens.
    expect(compiled).toBeGreaterThan(count / 10);
    expect(refused).toBeGreaterThan(count / 10);
  });
});
