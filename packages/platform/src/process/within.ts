/** Waits for an answer for a limited time. The work behind it goes on. */

/** The fallback when the answer does not come in time, or fails. */
export async function within<T>(ms: number, answer: Promise<T>, fallback: T): Promise<T> {
  const { promise: late, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(fallback), ms);
  try {
    return await Promise.race([answer.catch(() => fallback), late]);
  } finally {
    clearTimeout(timer);
  }
}
