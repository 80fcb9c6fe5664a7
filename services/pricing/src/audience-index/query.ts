/** Translates a target's genders and interests into columns. */
import type { Target } from '@offer-ads/contracts/audience/target';
import type { Heap } from './memory/heap.ts';
import * as layout from './memory/layout.ts';
import { genderNumber, type Vocabulary } from './memory/vocabulary.ts';

// V8 looks up imports on every read, but compiles in a module's own constants.
const { asked, INTEREST_COLUMN } = layout;

/**
 * Writes them to where the kernels read them. Plain loops without lists of their own: between other work, the code and data of a count are
 * no longer in the processor's cache, and each function and object takes longer to fetch than to run.
 *
 * @returns false if no member can match, because none has any of the genders or interests
 */
export function writeFilters({ u32 }: Heap, vocabulary: Vocabulary, { gender, interests }: Target): boolean {
  let genders = 0;
  for (let each = 0; each < gender.length; each += 1) {
    const number = genderNumber(vocabulary, gender[each] as Target['gender'][number]);
    if (number >= 0) genders = append(u32, asked.genders, genders, number);
  }
  let found = 0;
  for (let each = 0; each < interests.length; each += 1) {
    const number = vocabulary.interestNumbers.get(interests[each] as number);
    if (number !== undefined) found = append(u32, asked.interests, found, INTEREST_COLUMN + number);
  }
  u32[asked.genderCount] = genders === vocabulary.genders.length ? 0 : genders;
  u32[asked.interestCount] = found;
  return (genders > 0 || gender.length === 0) && (found > 0 || interests.length === 0);
}

/** @returns the list's length afterwards: one more, unless it has the column already */
function append(u32: Uint32Array, list: number, length: number, column: number): number {
  for (let at = list; at < list + length; at += 1) if (u32[at] === column) return length;
  u32[list + length] = column;
  return length + 1;
}
