import { longCode } from "../../components/text/long-code.ts";

/** A sentence with `code` in backticks, as the tables in src/protocol are written. */
export function InlineCode({ text }: { text: string }) {
  return text.split("`").map((piece, position) =>
    position % 2 === 0 ? (
      <span key={position}>{piece}</span>
    ) : (
      <code key={position} className="chip" data-long={longCode(piece)}>
        {piece}
      </code>
    ),
  );
}
