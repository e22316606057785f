/** Renders the documentation's pages to HTML for the search index; run by docs-index.ts at build time. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Suspense } from "react";
import { prerenderToNodeStream } from "react-dom/static";
import { Router } from "wouter";
import { docsAddress, docsPages } from "../pages/docs/docs-pages.ts";
import { queries } from "../service/queries.ts";

export interface RenderedPage {
  title: string;
  address: string;
  html: string;
}

export async function renderDocs(openApi: unknown): Promise<RenderedPage[]> {
  const client = new QueryClient();
  client.setQueryData(["openapi"], openApi);
  // The models depend on the operator; the text around them does not.
  client.setQueryData(queries.models.queryKey, { models: [] });
  const failures: unknown[] = [];
  const pages = await Promise.all(
    docsPages.map(async (page) => {
      const { prelude } = await prerenderToNodeStream(
        <QueryClientProvider client={client}>
          <Router ssrPath={docsAddress(page)}>
            <Suspense>
              <page.Content />
            </Suspense>
          </Router>
        </QueryClientProvider>,
        { onError: (error) => void failures.push(error) },
      );
      let html = "";
      for await (const chunk of prelude) html += String(chunk);
      return { title: page.title, address: docsAddress(page), html };
    }),
  );
  // React would omit the part that failed, and it would silently be missing from the search.
  if (failures.length > 0) throw new AggregateError(failures, "The documentation could not be rendered.");
  return pages;
}
