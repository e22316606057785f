/** Who runs the service, with a link to reach them where there is one. */
import { contactLink, type OperatorFacts } from "../../../src/core/operator.js";

export function OperatorName({ operator: { name, contact } }: { operator: OperatorFacts }) {
  const shown = name ?? "the operator";
  const href = contact === null ? null : contactLink(contact);
  return href === null ? (
    <span className="wrap-anywhere">{shown}</span>
  ) : (
    <a href={href} rel="noreferrer" className="wrap-anywhere underline underline-offset-2 hover:text-ink">
      {shown}
    </a>
  );
}
