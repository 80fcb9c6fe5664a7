import { describe, expect, it } from '@jest/globals';
import { MemberChanged } from '@offer-ads/contracts/events/community';
import { eventType } from '@offer-ads/contracts/events/event-declaration';
import { SignInRequested } from '@offer-ads/contracts/events/gateway';
import type { Message } from 'amqplib';
import { toParked } from './parking.ts';
import { withholdSensitive } from './withholding.ts';

const withhold = withholdSensitive(
  new Map([MemberChanged, SignInRequested].map((declaration) => [eventType(declaration), declaration])),
);

function parkedOf(
  body: string,
  headers: Record<string, string> = { cloudEvents_type: eventType(MemberChanged) },
) {
  const message = { content: Buffer.from(body), properties: { headers }, fields: {} } as unknown as Message;
  const parked = toParked(message, { queue: 'parked', reason: 'stuck', attempts: 5, withhold });
  return { body: parked.content.toString(), canBeReplayed: parked.headers['x-withheld'] !== true };
}

describe("a member's position", () => {
  it('is kept to two decimals once the event is parked, and the event can be replayed', () => {
    const { body, canBeReplayed } = parkedOf(
      '{"memberId":1,"latitude":51.507351,"longitude":-0.127758,"version":3}',
    );
    expect(JSON.parse(body)).toEqual({ memberId: 1, latitude: 51.51, longitude: -0.13, version: 3 });
    expect(canBeReplayed).toBe(true);
  });

  it.each([
    { 'cloudEvents:type': eventType(MemberChanged) },
    { cloudEvents_type: 'offer-ads.community.MemberMoved.v1' },
    {},
  ])('is kept to two decimals also with the headers %j', (headers) => {
    expect(parkedOf('{"latitude":51.507351}', headers).body).toBe('{"latitude":51.51}');
  });

  it.each([
    ['{"latitude":"51.507351","longitude":-0.127758}', '{"latitude":"[withheld]","longitude":-0.13}'],
    ['{"latitude":51.507351', '[withheld]'],
    ['[51.507351]', '[withheld]'],
  ])('is withheld in a body that no service can read: %s', (sent, kept) => {
    expect(parkedOf(sent)).toEqual({ body: kept, canBeReplayed: false });
  });
});

describe('an event of a type that this release does not know', () => {
  const unknown = { cloudEvents_type: 'offer-ads.gateway.SignInRequested.v9' };

  it('can be replayed by a later release', () => {
    const body = '{"offerId":7}';
    expect(parkedOf(body, unknown)).toEqual({ body, canBeReplayed: true });
  });

  it('keeps no field that is a credential in a known one', () => {
    const kept = { body: '{"signInUrl":"[withheld]"}', canBeReplayed: false };
    expect(parkedOf('{"signInUrl":"https://portal.example/sign-in#0123"}', unknown)).toEqual(kept);
  });
});
