import { describe, expect, it } from "vitest";
import { pageAddresses } from "../src/protocol/pages/page-addresses.js";
import { docsAddress, docsPages } from "./pages/docs/docs-pages.ts";
import { routes } from "./routes.ts";

describe("the dashboard", () => {
  it("has a page for each address that the service sends browsers to, and for no other", () => {
    const shown = routes.flatMap(({ path }) => (path === "/docs/:page?" ? docsPages.map(docsAddress) : path));
    // Leads to the first page for admins.
    const redirects = ["/admin"];
    expect([...shown, ...redirects].sort()).toEqual([...pageAddresses].sort());
  });
});
