/** Computes the verdict from the model's scores. Pure, so that a new threshold can be tried on stored scores. */

/**
 * The model's scores for one look: a frame of the picture on one background (looks.ts). Every model gives the same two measures from 0 to 1,
 * and labels of its own.
 */
export type Scores = {
  /** How sure the model is that the picture must not be shown. */
  readonly explicit: number;
  /** How sure the model is that the picture is at least suggestive, which includes explicit ones; never below `explicit`. */
  readonly suggestive: number;
  /** The model's own labels, for questions about the verdict later. */
  readonly labels: Readonly<Record<string, number>>;
};

/** A picture is refused if one of its scores is equal to the threshold or higher. */
export type Thresholds = {
  readonly explicit: number;
  /** By default higher than `explicit`, because swimwear is no reason to refuse an honest advertisement. */
  readonly suggestive: number;
};

export type Decision =
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'refused'; readonly reason: 'explicit' | 'suggestive' };

/** One unsafe look is enough to refuse the picture. */
export function decide(looks: readonly Scores[], thresholds: Thresholds): Decision {
  // An error gives no verdict, and without a verdict no picture is shown.
  if (looks.length === 0) throw new Error('a decision needs at least one look at the picture');
  for (const reason of ['explicit', 'suggestive'] as const) {
    // Not written as `>=`, because NaN must be refused too, and every comparison with it is false.
    if (!(worst(looks, reason) < thresholds[reason])) return { verdict: 'refused', reason };
  }
  return { verdict: 'allowed' };
}

/** The highest score of all looks: the one that is compared with the threshold. */
export function worst(looks: readonly Scores[], measure: keyof Thresholds): number {
  return Math.max(...looks.map((look) => look[measure]));
}
