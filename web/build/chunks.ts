/**
 * Which script a module is in. Left alone, every icon and every small component that two pages share would become a
 * file of its own, and the overview would take forty requests. What every page needs is in `vendor` and `shared`; what
 * several signed-in pages need (menus, dialogs and the shell around them) is in `app`; all else is loaded with the page
 * that uses it.
 */
export function chunkOf(id: string): string | undefined {
  return rules.find(({ pattern }) => pattern.test(id))?.chunk;
}

/** The first that matches decides. Libraries are named one by one: what a chunk needs is otherwise drawn into it. */
const rules: readonly { pattern: RegExp; chunk: string | undefined }[] = [
  {
    pattern: /\/web\/components\/(?:text\/markdown|controls\/markdown-field|figures\/plot|figures\/fade-)/,
    chunk: undefined,
  },
  { pattern: /\/web\/components\/overlays\/(?!toast)/, chunk: "app" },
  { pattern: /\/web\/components\/controls\/(?:menu|models-field|slider)\./, chunk: "app" },
  { pattern: /\/web\/layouts\/(?:app-layout|sidebar|session-expired)\./, chunk: "app" },
  {
    pattern:
      /\/web\/pages\/app\/(?:usage\/usage-period|keys\/(?:use-issue-key|new-secret|key-status|key-limits-field|\w+-key-dialog))\./,
    chunk: "app",
  },
  { pattern: /\/web\/(?:components|hooks|service)\//, chunk: "shared" },
  // Shown inside the shell, too, and would be drawn into its chunk.
  { pattern: /\/web\/pages\/not-found\./, chunk: "shared" },
  { pattern: /\/web\/(?:cx|units|form-errors|default-reply|base-url)\.ts$/, chunk: "shared" },
  {
    pattern:
      /\/web\/(?:snippets|chat-code)\.|\/connect\/(?:client|code-clients|go-client|environment-client)\.ts$/,
    chunk: "snippets",
  },
  { pattern: /\/src\/(?:core\/(?:models|bounds)|protocol\/document-title)\.ts$/, chunk: "shared" },
  { pattern: /\/lucide-react\//, chunk: "shared" },
  {
    pattern:
      /@radix-ui\/react-(?:alert-|dropdown-)?(?:dialog|menu|popper|arrow|portal|dismissable-layer|focus-guards|focus-scope|use-size|use-rect|use-escape-keydown)\//,
    chunk: "app",
  },
  { pattern: /@floating-ui|aria-hidden|react-remove-scroll|react-style-singleton|use-sidecar/, chunk: "app" },
  { pattern: /\/(?:@radix-ui|radix-ui)\//, chunk: "shared" },
  { pattern: /\/node_modules\/(?:react|react-dom|scheduler|wouter|@tanstack)\//, chunk: "vendor" },
];
