/** What `work` rejects with, which must be a `kind`. */
export async function rejectionOf<E extends Error>(
  kind: abstract new (...args: never[]) => E,
  work: Promise<unknown>,
): Promise<E> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof kind) return error;
  throw new Error(`It did not reject with ${kind.name}.`, { cause: error });
}
