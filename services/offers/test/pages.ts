/** All items of a list that comes in pages. @param page reads the one at this cursor, which is empty for the first, and says the next cursor */
export async function itemsOfPages<Item>(
  page: (cursor: string) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { items, next }: Awaited<ReturnType<typeof page>> = await page(cursor);
    all.push(...items);
    cursor = next;
  }
  return all;
}
