/** From what a model sees to a verdict: pure, so that a threshold can be tried out on kept scores. */

/** What a model makes of one look at a picture: two measures from 0 to 1 that every model has, and its own words. */
export type Scores = {
  /** How sure it is that nobody should be shown this. */
  readonly explicit: number;
  /** How sure it is of that or of something merely suggestive, and so never below `explicit`. */
  readonly suggestive: number;
  /** What it sees by its own names, for whoever asks later why. */
  readonly labels: Readonly<Record<string, number>>;
};

/** Measures from which a picture is refused. */
export type Thresholds = {
  readonly explicit: number;
  /** Higher, because swimwear is no reason to refuse an honest advertisement. */
  readonly suggestive: number;
};

export type Decision =
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'refused'; readonly reason: 'explicit' | 'suggestive' };

/** One unsafe look at a picture is enough: the worst frame decides. */
export function decide(looks: readonly Scores[], thresholds: Thresholds): Decision {
  // Failing closed: a picture that nobody looked at is not a safe one.
  if (looks.length === 0) throw new Error('a decision needs at least one look at the picture');
  for (const reason of ['explicit', 'suggestive'] as const) {
    // No number compares as less than any, and no number is not a safe one either.
    if (!(worst(looks, reason) < thresholds[reason])) return { verdict: 'refused', reason };
  }
  return { verdict: 'allowed' };
}

/** What is compared with a threshold. */
export function worst(looks: readonly Scores[], measure: keyof Thresholds): number {
  return Math.max(...looks.map((look) => look[measure]));
}
