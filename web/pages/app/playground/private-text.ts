/**
 * For every input that holds a prompt: the browser keeps no copy for when the page is restored, and sends
 * nothing to a spelling service.
 */
export const privateText = { autoComplete: "off", spellCheck: false } as const;
