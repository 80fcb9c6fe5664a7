/** What the outputs of nsfwjs' network mean. */
import type { Scores } from './decision.ts';

/** In the order of the outputs; how sure the network is of each, together 1. */
const classNames = ['Drawing', 'Hentai', 'Neutral', 'Porn', 'Sexy'] as const;

export function nsfwjsScores(outputs: readonly number[]): Scores {
  if (outputs.length !== classNames.length)
    throw new Error(`the model gave ${outputs.length} numbers instead of ${classNames.length}`);
  const labels = Object.fromEntries(classNames.map((name, index) => [name, outputs[index]])) as Record<
    (typeof classNames)[number],
    number
  >;
  // Added up, because an unsafe picture may lie between two classes.
  const explicit = labels.Porn + labels.Hentai;
  return { explicit, suggestive: explicit + labels.Sexy, labels };
}
