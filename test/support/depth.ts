/** Whether this is the deep suite (`npm run test:deep`), which tests in full what `npm test` samples. */
export const isDeep = process.env.SOTTO_TEST_DEPTH === "deep";
