/** Ten at a time: more would meet the deadlines of a busy machine. */
export async function inTens<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  const indexes = Array.from({ length: count }, (_, index) => index).values();
  const worker = async () => {
    for (const index of indexes) results.push(await work(index));
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  return results;
}
