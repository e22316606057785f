import { ChevronLeft, ChevronRight } from "lucide-react";
import { accountsPageSize as pageSize } from "../../../../src/protocol/dashboard-bounds.js";
import { IconButton } from "../../../components/controls/button.tsx";
import { formatCount } from "../../../units.ts";

interface PagerProps {
  page: number;
  total: number;
  onPage: (page: number) => void;
}

export function Pager({ page, total, onPage }: PagerProps) {
  if (total <= pageSize && page === 0) return null;
  const first = page * pageSize + 1;
  const last = Math.min(total, first + pageSize - 1);
  return (
    <nav
      aria-label="Pages"
      className="flex items-center justify-between gap-4 border-t border-line px-5 py-2 text-sm text-muted sm:px-6"
    >
      <span role="status" className="tabular-nums">
        {formatCount(first)} to {formatCount(last)} of {formatCount(total)}
      </span>
      <span className="-mr-2 flex">
        <IconButton label="Previous page" disabled={page === 0} onClick={() => onPage(page - 1)}>
          <ChevronLeft />
        </IconButton>
        <IconButton label="Next page" disabled={last >= total} onClick={() => onPage(page + 1)}>
          <ChevronRight />
        </IconButton>
      </span>
    </nav>
  );
}
