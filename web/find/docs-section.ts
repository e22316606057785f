/** One heading of the documentation. */
export interface DocsSection {
  /** Of its page. */
  slug: string;
  id: string;
  title: string;
}
