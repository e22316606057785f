/** The constraints of a schema, without annotations and what cannot be enforced. */
import { modern } from "./dialects.js";
import { isKeyword, keywords, type Keyword } from "./keywords.js";
import { isSchemaObject, typesOf, type Path, type Schema } from "./schema.js";
import type { Strictness } from "./strictness.js";

/**
 * The keywords that constrain, in the words of the current draft. Others are annotations: libraries write many of
 * their own. Those that no grammar can enforce are left out, or refused.
 */
export function constraints(given: Schema, path: Path, strictness: Strictness): Schema {
  const schema = modern(given);
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (!isKeyword(name)) continue;
    if (keywords[name].enforced === "no") {
      if (isAbout(name, schema, path)) strictness.leaveOut(path, name);
    } else if (name !== "not" || allowsNothing(value, schema, path, strictness)) result[name] = value;
  }
  return result;
}

/** Whether values that the schema allows may be of the kind that the keyword constrains. */
function isAbout(keyword: Keyword, schema: Schema, path: Path): boolean {
  const { of } = keywords[keyword];
  if (of === "any" || !("type" in schema)) return true;
  const types = typesOf(schema, path);
  return types.includes(of) || (of === "number" && types.includes("integer"));
}

/** Whether `not` excludes every value. Anything between that and excluding none cannot be enforced. */
function allowsNothing(value: unknown, schema: Schema, path: Path, strictness: Strictness): boolean {
  if (value === false) return false;
  if (value === true || (isSchemaObject(value) && !Object.keys(value).some(isKeyword))) return true;
  if (isAbout("not", schema, path)) strictness.leaveOut(path, "not");
  return false;
}
