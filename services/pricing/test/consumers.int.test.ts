/** What pricing hears over RabbitMQ ends up in its estimates. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemberChanged, type MemberFacts, MemberRemoved } from '@offer-ads/contracts/community-events';
import { newEvent } from '@offer-ads/platform/events';
import { eventually } from '@offer-ads/testing/eventually';
import { catalogue, london } from './people.ts';
import { type PricingUnderTest, startPricingUnderTest } from './pricing-under-test.ts';

const now = '2026-11-20T18:00:00.000Z';
let pricing: PricingUnderTest;

beforeAll(async () => {
  pricing = await startPricingUnderTest(now);
});
afterAll(async () => {
  await pricing[Symbol.asyncDispose]();
});

function changed(facts: Partial<MemberFacts> & { memberId: number }, version: number) {
  const everyday = { ...london, gender: 'Male' as const, interests: [1], active: true, banned: false };
  return newEvent(MemberChanged, {
    subject: `member/${facts.memberId}`,
    subjectVersion: version,
    at: new Date(now),
    data: { ...everyday, ...facts, version },
  });
}

function removed(memberId: number, version: number) {
  const subject = `member/${memberId}`;
  const data = { memberId, version };
  return newEvent(MemberRemoved, { subject, subjectVersion: version, at: new Date(now), data });
}

async function estimate(interests: readonly number[] = []) {
  return pricing.post('/offers/price-estimate', {
    start_datetime: '2026-12-01T00:00:00Z',
    end_datetime: '2026-12-02T00:00:00Z',
    location: [london.latitude, london.longitude],
    radius: 5,
    interests,
  });
}

async function matching(): Promise<unknown> {
  return (await estimate()).body.matching_users;
}

describe('members', () => {
  it('are counted from when they change until they are removed, in whatever order the events come', async () => {
    await pricing.publisher.publish([changed({ memberId: 1 }, 1), changed({ memberId: 2 }, 1)]);
    await eventually(async () => expect(await matching()).toBe(2));
    await pricing.publisher.publish([changed({ memberId: 1, banned: true }, 3), changed({ memberId: 1 }, 2)]);
    await eventually(async () => expect(await matching()).toBe(1));
    await pricing.publisher.publish([
      removed(2, 5),
      changed({ memberId: 2 }, 4),
      changed({ memberId: 3 }, 1),
    ]);
    await eventually(async () => expect(await matching()).toBe(1));
    await pricing.publisher.publish([changed({ memberId: 2 }, 6)]);
    await eventually(async () => expect(await matching()).toBe(2));
  });

  it('that make no sense are parked with the reason, and the others are not held up', async () => {
    const sound = changed({ memberId: 10 }, 1);
    const broken = { ...sound, id: randomUUID(), data: { ...(sound.data as object), latitude: 900 } };
    await pricing.publisher.publish([broken, changed({ memberId: 11 }, 1)]);
    await eventually(async () => expect(await matching()).toBe(3));
    await eventually(async () => {
      const response = await fetch(`${pricing.url}/admin/parked`, { headers: pricing.adminHeaders });
      expect(await response.json()).toMatchObject({
        parked: [{ reason: expect.stringContaining('latitude') }],
      });
    });
  });
});

describe('interests', () => {
  it('can be targeted while the catalogue says so; an older catalogue changes nothing', async () => {
    await pricing.publisher.publish([catalogue(5, [1, 2])]);
    await eventually(async () => expect((await estimate([2])).status).toBe(200));
    await pricing.publisher.publish([catalogue(6, [1])]);
    await eventually(async () => expect((await estimate([2])).status).toBe(400));
    await pricing.publisher.publish([catalogue(5, [1, 2]), changed({ memberId: 20 }, 1)]);
    // The member came after the old catalogue, so that has been handled too.
    await eventually(async () => expect(await matching()).toBe(4));
    expect((await estimate([2])).status).toBe(400);
    expect((await estimate([1])).status).toBe(200);
  });
});
