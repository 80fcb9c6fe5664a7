/** Numbers for genders and interests, small enough to be columns. A name gets its number when it is first seen. */
import type { MemberGender } from '@offer-ads/contracts/values/primitives';
import { AudienceFullError } from './heap.ts';
import { GENDERS, INTERESTS } from './layout.ts';

export type Vocabulary = {
  /** By number. */
  readonly genders: MemberGender[];
  readonly interests: number[];
  readonly interestNumbers: Map<number, number>;
};

export function createVocabulary(
  genders: readonly MemberGender[] = [],
  interests: readonly number[] = [],
): Vocabulary {
  return {
    genders: [...genders],
    interests: [...interests],
    interestNumbers: new Map(interests.map((interest, number) => [interest, number])),
  };
}

/** @returns -1 if no member ever had this gender */
export function genderNumber(vocabulary: Vocabulary, gender: MemberGender): number {
  return vocabulary.genders.indexOf(gender);
}

/** @throws {AudienceFullError} */
export function learnGender(vocabulary: Vocabulary, gender: MemberGender): number {
  const known = genderNumber(vocabulary, gender);
  if (known >= 0) return known;
  if (vocabulary.genders.length === GENDERS) {
    throw new AudienceFullError(`The audience index holds ${GENDERS} genders; '${gender}' is one more.`);
  }
  return vocabulary.genders.push(gender) - 1;
}

/**
 * @param isUnused whether no member has the interest with that number any more: such a number is reused when all are taken
 * @throws {AudienceFullError}
 */
export function learnInterest(
  vocabulary: Vocabulary,
  interest: number,
  isUnused: (number: number) => boolean,
): number {
  const { interests, interestNumbers } = vocabulary;
  const known = interestNumbers.get(interest);
  if (known !== undefined) return known;
  const number =
    interests.length < INTERESTS ? interests.length : interests.findIndex((_, at) => isUnused(at));
  if (number === -1) {
    throw new AudienceFullError(
      `The audience index holds ${INTERESTS} different interests; interest ${interest} is one more.`,
    );
  }
  interestNumbers.delete(interests[number] as number);
  interests[number] = interest;
  interestNumbers.set(interest, number);
  return number;
}
