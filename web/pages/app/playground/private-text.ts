/**
 * For every input that holds a prompt: the browser saves no copy for restoring the page, and sends nothing to a
 * spell-checking service. Any language is typed from its own side.
 */
export const privateText = { autoComplete: "off", spellCheck: false, dir: "auto" } as const;
