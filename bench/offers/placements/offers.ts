/** Offers spread over an area so that a member there matches about 300 of 100,000, and members who ask. The same each time. */

import type { Target, TargetedMember } from '@offer-ads/contracts/audience/target';
import type { MemberGender } from '@offer-ads/contracts/values/primitives';
import { chance } from '@offer-ads/testing/random';
import type { LiveOffer } from '../../../services/offers/src/placements/live-offers.ts';

/** England and its seas, 200,000 square miles. */
const area = { south: 48, north: 55, west: -5, east: 5 };
const genders: readonly MemberGender[] = ['Male', 'Female'];
const interests = 30;

export const nowMs = Date.UTC(2026, 5, 1);

export function offersOf(count: number): LiveOffer[] {
  const random = chance(20_261_123);
  return Array.from({ length: count }, (_, at) => {
    const isForAll = random.below(2) === 0;
    const target: Target = {
      ...placeOf(random),
      radiusMiles: 5 + random.below(26),
      gender: random.below(3) === 0 ? [random.oneOf(genders)] : [],
      interests: isForAll ? [] : Array.from({ length: 3 }, () => 1 + random.below(interests)),
    };
    const card = {
      offer_id: at + 1,
      title: 'Two for one on Tuesdays',
      description: 'Bring a friend: the second main course is on the house, every week until the summer.',
      terms_and_conditions: 'Not with other offers.',
      advertised_name: 'The Corner Table',
    };
    return {
      offerId: at + 1,
      mode: 'LIVE',
      categoryId: 1 + random.below(10),
      target,
      // A tenth has not begun or is over.
      startAtMs: nowMs + (random.below(20) === 0 ? 3_600_000 : -3_600_000),
      expiryAtMs: nowMs + (random.below(20) === 0 ? -1 : 86_400_000),
      image: 'a.png',
      url: 'https://corner-table.example/tuesdays',
      card: JSON.stringify(card),
      lack: 0,
    };
  });
}

export function membersOf(count: number): TargetedMember[] {
  const random = chance(20_261_124);
  return Array.from({ length: count }, () => ({
    ...placeOf(random),
    gender: random.oneOf(genders),
    interests: Array.from({ length: 4 }, () => 1 + random.below(interests)),
  }));
}

/** In hundredths of a degree, as positions are rounded. */
function placeOf(random: ReturnType<typeof chance>) {
  const { south, north, west, east } = area;
  return {
    latitude: south + random.below((north - south) * 100) / 100,
    longitude: west + random.below((east - west) * 100) / 100,
  };
}
