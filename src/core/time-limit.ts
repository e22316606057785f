/** Thrown by `withTimeLimit`. */
class TookTooLong extends Error {
  constructor(limitMs: number) {
    super(`It took longer than ${limitMs} ms.`);
    this.name = "TookTooLong";
  }
}

/** Rejects when `work` takes longer. The work itself goes on, and what becomes of it is nobody's concern. */
export async function withTimeLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(limitMs)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
