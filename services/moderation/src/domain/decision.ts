/** From what the model sees to a verdict: pure, so that a threshold can be tried out on kept scores. */

/** In the order of the model's outputs. */
export const classNames = ['Drawing', 'Hentai', 'Neutral', 'Porn', 'Sexy'] as const;

/** How sure the model is of each class; together they make 1. */
export type Scores = Readonly<Record<(typeof classNames)[number], number>>;

/** Shares of certainty from which a picture is refused. */
export type Thresholds = {
  /** Porn and Hentai together: an unsafe picture may lie between the two. */
  readonly explicit: number;
  /** Porn, Hentai and Sexy together. Higher, because swimwear is no reason to refuse an honest advertisement. */
  readonly suggestive: number;
};

export type Decision =
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'refused'; readonly reason: 'explicit' | 'suggestive' };

/** One unsafe look at a picture is enough: the worst frame decides. */
export function decide(looks: readonly Scores[], thresholds: Thresholds): Decision {
  // Failing closed: a picture that nobody looked at is not a safe one.
  if (looks.length === 0) throw new Error('a decision needs at least one look at the picture');
  if (worst(looks, explicitness) >= thresholds.explicit) return { verdict: 'refused', reason: 'explicit' };
  if (worst(looks, suggestiveness) >= thresholds.suggestive)
    return { verdict: 'refused', reason: 'suggestive' };
  return { verdict: 'allowed' };
}

function worst(looks: readonly Scores[], measure: (scores: Scores) => number): number {
  return Math.max(...looks.map(measure));
}

function explicitness({ Porn, Hentai }: Scores): number {
  return Porn + Hentai;
}

function suggestiveness(scores: Scores): number {
  return explicitness(scores) + scores.Sexy;
}
