/** A sentence with `code` in backticks, as the tables in src/protocol are written. */
export function InlineCode({ text }: { text: string }) {
  return text.split("`").map((piece, position) =>
    position % 2 === 0 ? (
      <span key={position}>{piece}</span>
    ) : (
      <code key={position} className="chip">
        {piece}
      </code>
    ),
  );
}
