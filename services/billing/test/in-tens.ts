/** Ten at a time: more would meet the deadlines of a busy machine. */
export async function inTens<T>(count: number, work: (place: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  const places = Array.from({ length: count }, (_, place) => place).values();
  const worker = async () => {
    for (const place of places) results.push(await work(place));
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  return results;
}
