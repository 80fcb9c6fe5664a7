/** How much of the time that was bought an offer has run. */

const UNITS = [
  [86_400, 'days'],
  [3_600, 'hours'],
  [60, 'minutes'],
] as const;

/** "3.5 of 14 days" and "25%", rounded down, so that only an offer that ran all its time has all of it. */
export function ranText(
  ranSeconds: number,
  boughtSeconds: number,
): { readonly time: string; readonly share: string } {
  // Two of a unit at least.
  const [seconds, name] = UNITS.find(([length]) => boughtSeconds >= 2 * length) ?? UNITS[2];
  const inUnit = (count: number) => `${Math.floor((count / seconds) * 10) / 10}`;
  return {
    time: `${inUnit(ranSeconds)} of ${inUnit(boughtSeconds)} ${name}`,
    share: `${Math.floor((ranSeconds / boughtSeconds) * 100)}%`,
  };
}
