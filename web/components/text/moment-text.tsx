/** What `moments.ts` wrote: where it does not fit, it breaks between its day and its time and nowhere else. */
import { Fragment } from "react";

export function MomentText({ pieces }: { pieces: readonly string[] }) {
  return pieces.map((piece, place) => (
    <Fragment key={place}>
      {place > 0 && " "}
      <span className="whitespace-nowrap">{piece}</span>
    </Fragment>
  ));
}
