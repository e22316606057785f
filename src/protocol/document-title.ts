/** As browsers show it in a tab: "Keys · Sotto". The first page has a title of its own. */
export const documentTitle = (page: string | null): string =>
  page === null ? "Sotto: the chat API that forgets" : `${page} · Sotto`;
