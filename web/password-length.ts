/**
 * The bounds of a new password, as in src/protocol/dashboard.ts: repeated here because that file brings its
 * schema library along, which has no business in the browser. The server has the last word.
 */
export const passwordLength = { min: 10, max: 200 } as const;
