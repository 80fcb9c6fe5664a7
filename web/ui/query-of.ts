/** A query string of those parameters that are not empty: `?state=active&cursor=abc`, or '' if all are empty. */
export function queryOf(parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== '') query.set(name, value);
  return query.size === 0 ? '' : `?${query}`;
}
