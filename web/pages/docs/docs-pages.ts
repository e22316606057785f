/** The documentation's pages in reading order. */
import { lazy, type ComponentType, type LazyExoticComponent } from "react";

export interface DocsPage {
  /** The last part of `/docs/…`; empty for the first page. */
  slug: string;
  title: string;
  group: "Start" | "Reference" | "Trust";
  /** Wide pages use the room of the table of contents. */
  wide?: boolean;
  Content: LazyExoticComponent<ComponentType>;
}

export const docsPages: readonly DocsPage[] = [
  { slug: "", title: "Quickstart", group: "Start", Content: lazy(() => import("./quickstart.tsx")) },
  { slug: "models", title: "Models", group: "Start", Content: lazy(() => import("./models.tsx")) },
  { slug: "aliases", title: "Model aliases", group: "Start", Content: lazy(() => import("./aliases.tsx")) },
  { slug: "streaming", title: "Streaming", group: "Start", Content: lazy(() => import("./streaming.tsx")) },
  { slug: "tools", title: "Tools", group: "Start", Content: lazy(() => import("./tools.tsx")) },
  {
    slug: "responses",
    title: "Responses API",
    group: "Reference",
    Content: lazy(() => import("./apis/responses.tsx")),
  },
  {
    slug: "messages",
    title: "Messages API",
    group: "Reference",
    Content: lazy(() => import("./apis/messages.tsx")),
  },
  {
    slug: "embeddings",
    title: "Embeddings",
    group: "Reference",
    Content: lazy(() => import("./embeddings.tsx")),
  },
  {
    slug: "ollama",
    title: "Ollama API",
    group: "Reference",
    Content: lazy(() => import("./apis/ollama.tsx")),
  },
  {
    slug: "endpoints",
    title: "Endpoints",
    group: "Reference",
    Content: lazy(() => import("./endpoints.tsx")),
  },
  {
    slug: "api",
    title: "API reference",
    group: "Reference",
    wide: true,
    Content: lazy(() => import("./api/api-reference.tsx")),
  },
  { slug: "errors", title: "Errors", group: "Reference", Content: lazy(() => import("./errors.tsx")) },
  { slug: "limits", title: "Limits", group: "Reference", Content: lazy(() => import("./limits.tsx")) },
  { slug: "key", title: "Your key", group: "Reference", Content: lazy(() => import("./key.tsx")) },
  { slug: "privacy", title: "Privacy & trust", group: "Trust", Content: lazy(() => import("./privacy.tsx")) },
];

export function docsAddress(page: DocsPage): string {
  return page.slug === "" ? "/docs" : `/docs/${page.slug}`;
}
