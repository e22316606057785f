import { useEffect } from "react";

/** Sets the document's title: "Keys · Sotto"; without a page, the name alone. */
export function useTitle(page: string | null): void {
  useEffect(() => {
    document.title = page === null ? "Sotto" : `${page} · Sotto`;
  }, [page]);
}
