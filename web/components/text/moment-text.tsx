/** A moment formatted by `moments.ts`. If it does not fit, it breaks only between its day and its time. */
import { Fragment } from "react";

export function MomentText({ pieces }: { pieces: readonly string[] }) {
  return pieces.map((piece, place) => (
    <Fragment key={place}>
      {place > 0 && " "}
      <span className="whitespace-nowrap">{piece}</span>
    </Fragment>
  ));
}
