/**
 * Which modules are in one file. By default, every icon and small component shared by two pages would become a separate
 * file, and the overview would take forty requests. `vendor` and `shared` hold what every page needs; `app` what
 * several signed-in pages need (menus, dialogs and the shell around them); everything else is loaded with the page
 * that uses it.
 */
const chunks = ["vendor", "app", "shared", "snippets"] as const;
type Chunk = (typeof chunks)[number];

/**
 * The first match decides. Libraries are listed one by one: dependencies of a chunk would otherwise be pulled into
 * it.
 */
const rules: readonly { pattern: RegExp; chunk: Chunk | undefined }[] = [
  {
    pattern: /\/web\/components\/(?:text\/markdown|controls\/markdown-field|figures\/plot|figures\/fade-)/,
    chunk: undefined,
  },
  { pattern: /\/web\/components\/overlays\/(?!toast)/, chunk: "app" },
  { pattern: /\/web\/components\/controls\/(?:menu|models-field|slider)\./, chunk: "app" },
  { pattern: /\/web\/find\/(?:actions|finder|keys|palette|places|shortcuts|use-found)\./, chunk: "app" },
  {
    pattern: /\/web\/layouts\/(?:app-layout|sidebar|session-expired|confirm-identity)\./,
    chunk: "app",
  },
  {
    pattern:
      /\/web\/pages\/app\/(?:account\/verify-address|usage\/usage-(?:period|stats)|keys\/(?:limit-fields|key-status|key-limits-field|key-fields|\w+-key-dialog))\./,
    chunk: "app",
  },
  { pattern: /\/web\/(?:components|hooks|service|sign-in)\//, chunk: "shared" },
  // Also shown inside the shell, whose chunk it would otherwise be pulled into.
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
  {
    pattern:
      /\/node_modules\/(?:@floating-ui|aria-hidden|react-remove-scroll\w*|react-style-singleton|use-sidecar|use-callback-ref|get-nonce|tslib)(?:-[\w-]+)?\//,
    chunk: "app",
  },
  { pattern: /\/(?:@radix-ui|radix-ui)\//, chunk: "shared" },
  { pattern: /\/node_modules\/(?:react|react-dom|scheduler|wouter|@tanstack)\//, chunk: "vendor" },
];

const chunkOf = (id: string): Chunk | undefined => rules.find(({ pattern }) => pattern.test(id))?.chunk;

/** What a chunk imports is in it too, unless another has it. `app` would pull in what is `shared`. */
export const chunkGroups = chunks.map((chunk, index) => ({
  name: chunk,
  priority: chunks.length - index,
  includeDependenciesRecursively: chunk !== "app",
  test: (id: string) => chunkOf(id) === chunk,
}));
