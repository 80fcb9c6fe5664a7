/** Waits for work for a limited time. The work itself goes on. */

/** @param late gives the result, or throws, when the work has not ended by then */
export async function within<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  try {
    return await Promise.race([work, over.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
