/** Whether this is the deep suite (`npm run test:deep`), which tests in full what `npm test` samples. */
export const isDeep = process.env.SOTTO_TEST_DEPTH === "deep";

/** How often a random test runs: so many times in the deep suite, an eighth of it in `npm test`. */
export const runs = (inDeepSuite: number): number => (isDeep ? inDeepSuite : Math.ceil(inDeepSuite / 8));
