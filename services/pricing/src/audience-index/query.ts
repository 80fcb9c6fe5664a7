/** Translates a target into the numbers of the index. */
import type { Target } from '../domain/target.ts';
import { INTEREST_COLUMN } from './memory/layout.ts';
import { genderNumber, type Vocabulary } from './memory/vocabulary.ts';

export type Query = {
  readonly target: Target;
  /** Columns; empty means no filter. */
  readonly genders: readonly number[];
  readonly interests: readonly number[];
};

/** @returns undefined if no member can match, because none has any of the genders or interests */
export function queryFor(vocabulary: Vocabulary, target: Target): Query | undefined {
  const genders = target.gender
    .map((gender) => genderNumber(vocabulary, gender))
    .filter((number, at, all) => number >= 0 && all.indexOf(number) === at);
  const interests = [...new Set(target.interests)]
    .map((interest) => vocabulary.interestNumbers.get(interest))
    .filter((number) => number !== undefined)
    .map((number) => INTEREST_COLUMN + number);
  if (target.gender.length > 0 && genders.length === 0) return undefined;
  if (target.interests.length > 0 && interests.length === 0) return undefined;
  const everyGender = genders.length === vocabulary.genders.length;
  return { target, genders: everyGender ? [] : genders, interests };
}
