/** The clock is injected, so that tests set the time and never sleep. */
export type Clock = { readonly now: () => Date };

export const systemClock: Clock = { now: () => new Date() };
