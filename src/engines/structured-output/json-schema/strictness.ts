/**
 * How a keyword that no grammar can enforce is treated. Without `strict` it is ignored: the reply follows the rest.
 * With `strict` it is refused, with what to write instead.
 */
import { insteadOf, type Keyword } from "./keywords.js";
import { SchemaError, type Path } from "./schema.js";

export class Strictness {
  constructor(readonly isStrict: boolean) {}

  /** The keyword at this place is not enforced, or not wholly. Throws `SchemaError` if strict. */
  leaveOut(path: Path, keyword: Keyword, reason = "this cannot be enforced"): void {
    if (!this.isStrict) return;
    throw new SchemaError([...path, keyword], `${reason} with 'strict'; ${insteadOf(keyword)}`);
  }
}
