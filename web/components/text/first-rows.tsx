/** The first rows of a list that may be long, and a button for the others below it. */
import { useState, type ReactNode } from "react";
import { Button } from "../controls/button.tsx";

/** How many are shown initially. */
const most = 10;

interface FirstRows<Row> {
  shown: readonly Row[] | undefined;
  /** To be rendered below the table; null if all rows are shown anyway. */
  more: ReactNode;
}

/** `all` names the whole list on the button: "Show all 66 keys". */
export function useFirstRows<Row>(rows: readonly Row[] | undefined, all: string): FirstRows<Row> {
  const [isOpen, setOpen] = useState(false);
  if (rows === undefined || rows.length <= most) return { shown: rows, more: null };
  return {
    shown: isOpen ? rows : rows.slice(0, most),
    more: (
      <div className="flex justify-center border-t border-line px-5 py-3" data-screen-only>
        <Button size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? `Show the first ${most}` : all}
        </Button>
      </div>
    ),
  };
}
