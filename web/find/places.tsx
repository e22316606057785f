/** What can be found without asking the service: pages and the documentation. */
import { BookOpen, FileText, Hash, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { docsSections } from "virtual:docs-sections";
import { errorTable } from "../../src/protocol/errors.js";
import { methods, type OpenApi } from "../pages/docs/api/openapi.ts";
import { docsAddress, docsPages } from "../pages/docs/docs-pages.ts";
import type { Findable } from "./match.ts";

export interface Place extends Findable {
  /** Unique among all. */
  id: string;
  /** At the right of the title: where it belongs. */
  note: string;
  icon: ReactNode;
  href: string;
}

/** A page of the signed-in part, as the sidebar has it. */
export interface PageLink {
  href: string;
  label: string;
  icon: ReactNode;
}

const publicLinks: readonly PageLink[] = [
  { href: "/docs", label: "Documentation", icon: <BookOpen /> },
  { href: "/status", label: "Status", icon: <FileText /> },
  { href: "/changelog", label: "Changelog", icon: <FileText /> },
];

export function pagePlaces(links: readonly PageLink[]): Place[] {
  return [...links, ...publicLinks].map(({ href, label, icon }) => {
    const note = href.startsWith("/admin") ? "Admin" : "";
    return { id: `page:${href}`, title: label, context: `${note} page ${href}`, note, icon, href };
  });
}

export function docsPlaces(document: OpenApi | undefined): Place[] {
  const titles = new Map(
    docsPages.map((page) => [page.slug, { title: page.title, href: docsAddress(page) }]),
  );
  const pages = docsPages.map((page): Place => {
    const href = docsAddress(page);
    const { title, group } = page;
    return { id: `docs:${href}`, title, context: `docs ${group}`, note: "Docs", icon: <BookOpen />, href };
  });
  const sections = docsSections.flatMap(({ slug, id, title }): Place[] => {
    const page = titles.get(slug);
    if (page === undefined) return [];
    const href = `${page.href}#${id}`;
    return [
      { id: `docs:${href}`, title, context: `docs ${page.title}`, note: page.title, icon: <Hash />, href },
    ];
  });
  return [...pages, ...sections, ...errorPlaces, ...operationPlaces(document)];
}

/** The codes of the errors page, which people look up from their logs. */
const errorPlaces = Object.entries(errorTable).map(([code, { status }]): Place => {
  const href = `/docs/errors#${code}`;
  const note = `Error ${status}`;
  return { id: `docs:${href}`, title: code, context: `docs ${note}`, note, icon: <TriangleAlert />, href };
});

/** The operations of the API reference, under the ids they have there. */
function operationPlaces(document: OpenApi | undefined): Place[] {
  return Object.entries(document?.paths ?? {}).flatMap(([path, operations]) =>
    methods.flatMap((method): Place[] => {
      const operation = operations[method];
      if (operation === undefined) return [];
      const href = `/docs/api#${operation.operationId ?? `${method}-${path}`}`;
      const note = `${method.toUpperCase()} ${path}`;
      const title = operation.summary ?? note;
      return [
        { id: `docs:${href}`, title, context: `docs API reference ${note}`, note, icon: <Hash />, href },
      ];
    }),
  );
}
