/**
 * Waits for native work without letting this thread sleep. A thread that sleeps takes some 40 microseconds to wake up,
 * and a step waits for results twice, the batch and its sampling: on a GPU that is several percent of a short step.
 * The price is one more busy core while replies are generated, so it is for machines that have others.
 */
export async function polled<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const look = () => {
    // Each round of the event loop asks the system, without waiting, whether something has finished.
    if (!isDone) setImmediate(look);
  };
  look();
  try {
    return await work;
  } finally {
    isDone = true;
  }
}
