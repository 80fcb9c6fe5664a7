/** Members as lines of an import, and the event of a catalogue. */
import { CatalogueChanged } from '@offer-ads/contracts/events/offers';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';

export const london = { latitude: 51.5074, longitude: -0.1278 };

/** An active member in the middle of London; name only what matters to the test. */
export function member(memberId: number, facts: object = {}): object {
  const everyday = { gender: 'Female', interests: [], active: true, banned: false };
  return { member_id: memberId, ...london, ...everyday, ...facts };
}

/** Interests 1 to 3 exist; 4 is no longer active. */
export function catalogue(subjectVersion: number, active: readonly number[] = [1, 2, 3]): OutgoingEvent {
  const interests = [1, 2, 3, 4].map((interestId) => ({
    interestId,
    interestName: `Interest ${interestId}`,
    active: active.includes(interestId),
  }));
  const at = new Date('2026-11-20T18:00:00Z');
  return newEvent(CatalogueChanged, {
    subject: 'catalogue',
    subjectVersion,
    at,
    data: { categories: [], interests },
  });
}
