/** Search results that need no request: pages and the documentation. */
import { BookOpen, FileText, Hash } from "lucide-react";
import type { ReactNode } from "react";
import { operation, search, type DocsPart } from "../pages/docs/search/search.ts";
import type { Action } from "./actions.tsx";
import type { Findable } from "./match.ts";

export interface Place extends Findable {
  /** Unique among all. */
  id: string;
  /** At the right of the title: where it belongs. */
  note: string;
  icon: ReactNode;
  href: string;
}

/** What the palette lists. */
export type Result = Place | Action;

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

/** What the documentation's own search finds, in its order. */
export function docsPlaces(parts: readonly DocsPart[], query: string, most: number): Place[] {
  return search(parts, query)
    .slice(0, most)
    .map(({ heading, page, address, text }) => ({
      id: `docs:${address}`,
      title: heading,
      context: `docs ${page}`,
      // An operation of the API by its method and path, which its text begins with.
      note:
        operation.exec(text)?.[0].replace(/^\w+/, (method) => method.toUpperCase()) ?? noteOf(page, heading),
      icon: address.includes("#") ? <Hash /> : <BookOpen />,
      href: address,
    }));
}

const noteOf = (page: string, heading: string): string => (page === heading ? "Docs" : page);
