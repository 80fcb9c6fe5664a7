/** Events of RabbitMQ change the estimates. `src/members/import-members.test.ts` has all faults of a member. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { changed, removed } from './member-events.ts';
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

/** The sum of the metric over all lines with the labels. */
async function metric(name: string, labels = '', url = pricing.url): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(labels));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

async function parkedMessages(): Promise<readonly { id: string; reason: string }[]> {
  const response = await fetch(`${pricing.url}/admin/parked?limit=1000`, { headers: pricing.adminHeaders });
  return ((await response.json()) as { parked: { id: string; reason: string }[] }).parked;
}

describe('members', () => {
  it('are counted by their newest event, in whatever order the events arrive', async () => {
    await pricing.publisher.publish([changed({ memberId: 1 }, 1), changed({ memberId: 2 }, 1)]);
    await eventually(async () => expect(await matching()).toBe(2));
    await pricing.publisher.publish([changed({ memberId: 1, banned: true }, 3), changed({ memberId: 1 }, 2)]);
    await eventually(async () => expect(await matching()).toBe(1));
    // Each step changes the count, so that `eventually` waits for it.
    await pricing.publisher.publish([changed({ memberId: 3 }, 1)]);
    await eventually(async () => expect(await matching()).toBe(2));
    await pricing.publisher.publish([removed(2, 5), changed({ memberId: 2 }, 4)]);
    await eventually(async () => expect(await matching()).toBe(1));
    await pricing.publisher.publish([changed({ memberId: 2 }, 6)]);
    await eventually(async () => expect(await matching()).toBe(2));
  });

  it.each([
    ['a latitude beyond the pole', { latitude: 900 }, 'latitude'],
    ['a version of text', { version: '7' }, 'version'],
    ['an id that is no integer', { memberId: 1.5 }, 'memberId'],
  ])(
    'with %s are parked with the reason, and the events around them are counted',
    async (_, garbage, field) => {
      const before = Number(await matching());
      const id = 1_000 + before * 10;
      const sound = changed({ memberId: id }, 1);
      const broken = { ...sound, id: randomUUID(), data: { ...(sound.data as object), ...garbage } };
      await pricing.publisher.publish([sound, broken, changed({ memberId: id + 1 }, 1)]);
      await eventually(async () => expect(await matching()).toBe(before + 2));
      await eventually(async () => {
        const parked = await parkedMessages();
        expect(parked.find((message) => message.id === broken.id)?.reason).toMatch(
          new RegExp(`does not fit MemberChanged: ${field}`),
        );
      });
    },
  );

  it('are counted in the metrics when they are parked or outdated', async () => {
    const parked = () => metric('events_handled_seconds_count', 'outcome="parked"');
    const outdated = () => metric('member_changes_total', 'outcome="outdated"');
    // A parked message is in its queue before it is in the metrics.
    await eventually(async () => expect(await parked()).toBe((await parkedMessages()).length));
    const [parkedBefore, outdatedBefore, before] = [await parked(), await outdated(), await matching()];
    const sound = changed({ memberId: 1_000_001 }, 9);
    const broken = { ...sound, id: randomUUID(), data: {} };
    await pricing.publisher.publish([sound, broken, changed({ memberId: 1_000_001 }, 8)]);
    await eventually(async () => {
      expect(await parked()).toBe(parkedBefore + 1);
      expect(await outdated()).toBe(outdatedBefore + 1);
    });
    await eventually(async () => expect(await matching()).toBe(Number(before) + 1));
  });
});

describe('interests', () => {
  it('can be targeted while the catalogue says so; an older catalogue changes nothing', async () => {
    await pricing.publisher.publish([catalogue(5, [1, 2])]);
    await eventually(async () => expect((await estimate([2])).status).toBe(200));
    await pricing.publisher.publish([catalogue(6, [1])]);
    await eventually(async () => expect((await estimate([2])).status).toBe(400));
    const handled = () => metric('events_handled_seconds_count', 'type="CatalogueChanged",outcome="handled"');
    const before = await handled();
    await pricing.publisher.publish([catalogue(5, [1, 2])]);
    await eventually(async () => expect(await handled()).toBe(before + 1));
    expect((await estimate([2])).status).toBe(400);
    expect((await estimate([1])).status).toBe(200);
  });
});

describe('while MongoDB is away', () => {
  it('changes wait without being parked or retried, estimates go on, a replica stops in time and returns its changes, and all changes apply afterwards', async () => {
    const before = Number(await matching());
    const replica = await pricing.startReplica();
    pricing.mongo.takeDown();
    const ids = Array.from({ length: 700 }, (_, index) => 2_000_001 + index);
    await pricing.publisher.publish(ids.map((memberId) => changed({ memberId }, 1)));
    await pricing.publisher.publish([removed(ids[0]!, 2), catalogue(7, [1, 3])]);
    // Waits until a write of each has failed.
    for (const url of [pricing.url, replica.url])
      await eventually(async () =>
        expect(await metric('events_wait_for_store', 'queue="bulk"', url)).toBe(1),
      );
    expect(await matching()).toBe(before);
    expect((await fetch(`${pricing.url}/readyz`)).status).toBe(200);
    const stoppedAt = performance.now();
    await replica[Symbol.asyncDispose]();
    // Half of the time that a service has to stop.
    expect(performance.now() - stoppedAt).toBeLessThan(15_000);
    pricing.mongo.bringBack();
    await eventually(async () => expect(await matching()).toBe(before + 699));
    await eventually(async () => expect((await estimate([3])).status).toBe(200));
    expect(await metric('events_handled_seconds_count', 'outcome="retried"')).toBe(0);
    expect(await metric('events_handled_seconds_count', 'type="MemberChanged",outcome="parked"')).toBe(0);
  });
});
