/** Makes ids of headings like GitHub, so that links between guides work on GitHub and on the site. */
export function slugs(): (text: string) => string {
  const taken = new Map<string, number>();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = taken.get(slug) ?? 0;
    taken.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  };
}
