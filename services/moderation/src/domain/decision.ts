/** Computes the verdict from the model's scores. Pure, so that a threshold can be tried on stored scores. */

/** The model's scores for one look at a picture: two measures from 0 to 1 that every model gives, and its own labels. */
export type Scores = {
  /** How sure the model is that the picture must not be shown. */
  readonly explicit: number;
  /** How sure the model is of that or of something only suggestive; never below `explicit`. */
  readonly suggestive: number;
  /** The model's own labels, for questions about the verdict later. */
  readonly labels: Readonly<Record<string, number>>;
};

/** Scores from which a picture is refused. */
export type Thresholds = {
  readonly explicit: number;
  /** Higher, because swimwear is no reason to refuse an honest advertisement. */
  readonly suggestive: number;
};

export type Decision =
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'refused'; readonly reason: 'explicit' | 'suggestive' };

/** One unsafe look is enough: the worst frame decides. */
export function decide(looks: readonly Scores[], thresholds: Thresholds): Decision {
  // Fails closed: a picture without a look is not safe.
  if (looks.length === 0) throw new Error('a decision needs at least one look at the picture');
  for (const reason of ['explicit', 'suggestive'] as const) {
    // Written with `!`, because NaN compares as false and must also be refused.
    if (!(worst(looks, reason) < thresholds[reason])) return { verdict: 'refused', reason };
  }
  return { verdict: 'allowed' };
}

/** The score that is compared with a threshold. */
export function worst(looks: readonly Scores[], measure: keyof Thresholds): number {
  return Math.max(...looks.map((look) => look[measure]));
}
