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
  page("Start", "", "Quickstart", () => import("./quickstart.tsx")),
  page("Start", "models", "Models", () => import("./models.tsx")),
  page("Start", "aliases", "Model aliases", () => import("./aliases.tsx")),
  page("Start", "streaming", "Streaming", () => import("./streaming.tsx")),
  page("Start", "tools", "Tools", () => import("./tools.tsx")),
  page("Reference", "responses", "Responses API", () => import("./apis/responses.tsx")),
  page("Reference", "messages", "Messages API", () => import("./apis/messages.tsx")),
  page("Reference", "embeddings", "Embeddings", () => import("./embeddings.tsx")),
  page("Reference", "ollama", "Ollama API", () => import("./apis/ollama.tsx")),
  page("Reference", "endpoints", "Endpoints", () => import("./endpoints.tsx")),
  { ...page("Reference", "api", "API reference", () => import("./api/api-reference.tsx")), wide: true },
  page("Reference", "errors", "Errors", () => import("./errors.tsx")),
  page("Reference", "limits", "Limits", () => import("./limits.tsx")),
  page("Reference", "key", "Your key", () => import("./key.tsx")),
  page("Trust", "privacy", "Privacy & trust", () => import("./privacy.tsx")),
];

function page(
  group: DocsPage["group"],
  slug: string,
  title: string,
  load: () => Promise<{ default: ComponentType }>,
): DocsPage {
  return { group, slug, title, Content: lazy(load) };
}

export function docsAddress(page: DocsPage): string {
  return page.slug === "" ? "/docs" : `/docs/${page.slug}`;
}
