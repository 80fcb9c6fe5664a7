/** Events of RabbitMQ change the estimates. `src/members/import-members.test.ts` has all faults of a member. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { changed, removed } from './member-events.ts';
import { catalogue, estimateForm } from './people.ts';
import { startPricingUnderTest } from './pricing-under-test.ts';

const now = '2026-11-20T18:00:00.000Z';
const pricing = forAllTests(() => startPricingUnderTest(now));

const estimate = (interests: readonly number[] = []) =>
  pricing.post('/offers/price-estimate', estimateForm({ interests }));

async function matching(): Promise<unknown> {
  return (await estimate()).body.matching_users;
}

/** The sum of the metric over all lines with the labels. */
async function metric(name: string, labels = '', url = pricing.adminUrl): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(labels));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

async function parkedMessages(): Promise<readonly { id: string; reason: string }[]> {
  const response = await fetch(`${pricing.adminUrl}/admin/parked?limit=1000`, {
    headers: pricing.adminHeaders,
  });
  return ((await response.json()) as { parked: { id: string; reason: string }[] }).parked;
}

describe('members', () => {
  it('that are malformed are parked with the reason, and the events around them are counted', async () => {
    const parked = () => metric('events_handled_seconds_count', 'outcome="parked"');
    const outdated = () => metric('member_changes_total', 'outcome="outdated"');
    const before = Number(await matching());
    const sound = changed({ memberId: 1_001 }, 9);
    const brokenBy = (garbage: object) => ({
      ...sound,
      id: randomUUID(),
      data: { ...(sound.data as object), ...garbage },
    });
    const broken = [
      ['latitude', brokenBy({ latitude: 900 })],
      ['version', brokenBy({ version: '7' })],
      ['memberId', brokenBy({ memberId: 1.5 })],
    ] as const;
    const older = changed({ memberId: 1_001, banned: true }, 8);
    const events = [sound, ...broken.map(([, event]) => event), changed({ memberId: 1_002 }, 1), older];
    const outdatedBefore = await outdated();
    await pricing.publisher.publish(events);
    await eventually(async () => expect(await matching()).toBe(before + 2));
    await eventually(async () => {
      const messages = await parkedMessages();
      for (const [field, { id }] of broken)
        expect(messages.find((message) => message.id === id)?.reason).toMatch(
          new RegExp(`does not fit MemberChanged: ${field}`),
        );
      expect([await parked(), await outdated()]).toEqual([broken.length, outdatedBefore + 1]);
    });
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
    for (const url of [pricing.adminUrl, replica.adminUrl])
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
