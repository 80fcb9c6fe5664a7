/** Converts the outputs of nsfwjs' network to scores. */
import type { Scores } from './decision.ts';

/** In the order of the outputs; each output is the network's confidence, and together they are 1. */
const classNames = ['Drawing', 'Hentai', 'Neutral', 'Porn', 'Sexy'] as const;

export function nsfwjsScores(outputs: readonly number[]): Scores {
  if (outputs.length !== classNames.length)
    throw new Error(`the model gave ${outputs.length} numbers instead of ${classNames.length}`);
  const labels = Object.fromEntries(classNames.map((name, index) => [name, outputs[index]])) as Record<
    (typeof classNames)[number],
    number
  >;
  // The sum, because an unsafe picture may be between two classes.
  const explicit = labels.Porn + labels.Hentai;
  return { explicit, suggestive: explicit + labels.Sexy, labels };
}
