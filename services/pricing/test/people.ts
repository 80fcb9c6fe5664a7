/** Members as lines of an import, the event of a catalogue, and what is asked about the members. */
import { CatalogueChanged } from '@offer-ads/contracts/events/offers';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';

export const london = { latitude: 51.5074, longitude: -0.1278 };

/** An active member in the middle of London; name only what matters to the test. */
export function member(memberId: number, facts: object = {}): object {
  const everyday = { gender: 'Female', interests: [], active: true, banned: false };
  return { member_id: memberId, ...london, ...everyday, ...facts };
}

/** The form of an estimate: a week, 10 miles around the middle of London; name only what matters to the test. */
export function estimateForm(changes: object = {}): object {
  return {
    start_datetime: '2026-12-01T00:00:00Z',
    end_datetime: '2026-12-08T00:00:00Z',
    location: [london.latitude, london.longitude],
    radius: 10,
    ...changes,
  };
}

/** The same as the creation of an offer asks for it. */
export function priceRequest(changes: object = {}): object {
  const period = { startAt: '2026-12-01T00:00:00.000Z', endAt: '2026-12-08T00:00:00.000Z' };
  return { ...period, ...london, radiusMiles: 10, gender: [], interests: [], ...changes };
}

/** Interests 1 to 3 exist; 4 is no longer active. */
export function catalogue(subjectVersion: number, active: readonly number[] = [1, 2, 3]): OutgoingEvent {
  const interests = [1, 2, 3, 4].map((interestId) => ({
    interestId,
    interestName: `Interest ${interestId}`,
    active: active.includes(interestId),
  }));
  const at = new Date('2026-11-20T18:00:00Z');
  const data = { categories: [], interests };
  return newEvent(CatalogueChanged, { subject: 'catalogue', subjectVersion, at, data });
}
