/** Written while building: see build/docs-index.ts. */
declare module "virtual:docs-index" {
  const parts: readonly import("./pages/docs/search/search.ts").DocsPart[];
  export default parts;
}
