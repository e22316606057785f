/** Written by vite.config.ts from the documentation's sources. */
declare module "virtual:docs-sections" {
  export const docsSections: readonly import("./docs-section.ts").DocsSection[];
}
