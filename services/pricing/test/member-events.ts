/** Events of the community platform about members. */
import { MemberChanged, type MemberFacts, MemberRemoved } from '@offer-ads/contracts/events/community';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { london } from './people.ts';

const at = new Date('2026-11-20T18:00:00.000Z');

/** An active man in the middle of London; name only what matters to the test. */
export function changed(facts: Partial<MemberFacts> & { memberId: number }, version: number): OutgoingEvent {
  const everyday = { ...london, gender: 'Male' as const, interests: [1], active: true, banned: false };
  const data = { ...everyday, ...facts, version };
  return newEvent(MemberChanged, { subject: `member/${facts.memberId}`, subjectVersion: version, at, data });
}

export function removed(memberId: number, version: number): OutgoingEvent {
  const data = { memberId, version };
  return newEvent(MemberRemoved, { subject: `member/${memberId}`, subjectVersion: version, at, data });
}
