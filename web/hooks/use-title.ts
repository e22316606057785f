import { useEffect } from "react";
import { documentTitle } from "../../src/protocol/document-title.js";

/** Sets the document's title: "Keys · Sotto"; without a page, that of the first one. */
export function useTitle(page: string | null): void {
  useEffect(() => {
    document.title = documentTitle(page);
  }, [page]);
}
