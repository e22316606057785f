import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as dashboard from "../../src/protocol/dashboard/api.js";
import * as models from "../../src/protocol/dashboard/models.js";

/** What no schema takes for every field: each is refused by some. */
const wrong = [undefined, null, 0.5, -1, 1e12, "", " ", "x".repeat(30_000), "x", {}, [], ["other"], true];

const everything: [string, unknown][] = Object.entries({ ...dashboard, ...models });
const schemas = everything.filter((entry): entry is [string, z.ZodObject] => entry[1] instanceof z.ZodObject);

describe("invalid input to the dashboard's API", () => {
  it("has a schema for each body and query", () => {
    expect(schemas.length).toBeGreaterThan(15);
  });

  it.each(schemas)("is in plain words for each field of %s", (_name, schema) => {
    const messages = Object.values(schema.shape).flatMap((field) =>
      wrong.flatMap((value) => {
        const result = z.safeParse(field, value);
        return result.success ? [] : result.error.issues.map(({ message }) => message);
      }),
    );
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) {
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(message).not.toMatch(/\binput\b|expected|received|string|array|integer|regex|undefined|NaN/i);
    }
  });

  it("names the end of a maintenance that would end before it starts, in whatever zone they are told", () => {
    const text = { title: "New disks", body: "" };
    const startsAt = "2030-01-01T10:00:00Z";
    const refused = dashboard.maintenanceBody.safeParse({
      ...text,
      startsAt,
      endsAt: "2030-01-01T10:00:00.000Z",
    });
    expect(refused.error?.issues).toMatchObject([
      { path: ["endsAt"], message: "The end must be after the start." },
    ]);
  });
});
