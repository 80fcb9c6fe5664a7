import { beforeEach, describe, expect, it } from '@jest/globals';
import type { OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { fc, runs } from '@offer-ads/testing/profile';
import { usualPreferences } from '../src/domain/preferences.ts';
import { setUpAnnouncing } from './announcing-under-test.ts';
import * as events from './events.ts';

const test = forAllTests(() => setUpAnnouncing());
beforeEach(() => test.forget());

const [ann, bob, dot, max] = events.cornerCafe.people as [Person, Person, Person, Person];
type Person = (typeof events.cornerCafe.people)[number];
const people = (...people: Person[]) => ({ people });

async function hearAll(heard: readonly OutgoingEvent[]): Promise<void> {
  for (const event of heard) await test.hear(event);
}

describe('the stored contact of an organisation', () => {
  it('is the newest version, whatever the order of the events and however often they come', async () => {
    const versions = [1, 2, 3, 4, 5].map((version) =>
      events.changed({ tradingName: `Version ${version}` }, version),
    );
    const orders = fc.shuffledSubarray([...versions, ...versions], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        await test.forget();
        await hearAll(order);
        const newest = Math.max(...order.map(({ subjectVersion }) => subjectVersion));
        const known = await test.notifier.contacts.find(1);
        expect(known?.tradingName).toBe(`Version ${newest}`);
      }),
      { numRuns: runs(10, 1_000) },
    );
  });

  it('has none of the billing details, which mails never need', async () => {
    const billingDetails = { address: ['The Old Mill'], vatNumber: 'GB980780684', purchaseOrder: null };
    await test.hear(events.changed({ billingDetails }, 2));
    const known = await test.notifier.contacts.find(1);
    expect(known).toEqual(events.cornerCafe);
  });

  it('is the newest version when several events come at the same time', async () => {
    const versions = [5, 1, 4, 2, 3].map((version) =>
      events.changed({ tradingName: `Version ${version}` }, version),
    );
    await Promise.all(versions.map(test.hear));
    expect((await test.notifier.contacts.find(1))?.tradingName).toBe('Version 5');
  });

  it('does not receive the mails of another organisation', async () => {
    await hearAll([
      events.registered({ organisationId: 1, ...people(ann) }),
      events.registered({ organisationId: 2, ...people(bob) }),
      events.paymentApplied({ organisationId: 2 }),
    ]);
    expect(await test.recipients()).toEqual(['bob@cafe.example']);
  });
});

describe('a change of people', () => {
  it.each([
    ['a disabled admin gets no mail', people({ ...ann, enabled: false }, bob), ['bob@cafe.example']],
    [
      'a person who became an admin gets mails',
      people(ann, { ...dot, role: 'admin' }),
      ['ann@cafe.example', 'dot@cafe.example'],
    ],
  ] as const)('%s from then on', async (_what, now, told) => {
    await hearAll([events.registered(), events.changed(now, 2)]);
    await test.hear(events.paymentApplied());
    expect(await test.recipients()).toEqual(told);
  });

  it('withdraws unsent mails to an admin who left, and not those to the others', async () => {
    await hearAll([events.registered(), events.paymentApplied(), events.ended()]);
    await test.hear(events.changed(people({ ...ann, enabled: false }, bob), 2));
    expect(await test.recipients('pending')).toEqual(['bob@cafe.example', 'bob@cafe.example']);
    expect(await test.recipients('failed')).toEqual(['ann@cafe.example', 'ann@cafe.example']);
  });

  it('withdraws no mail when the event is older than the stored contact', async () => {
    await hearAll([events.registered({}, 3), events.paymentApplied()]);
    await test.hear(events.changed(people(bob), 2));
    expect(await test.recipients('pending')).toEqual(['ann@cafe.example', 'bob@cafe.example']);
  });
});

describe('a person with another address', () => {
  const moved = { ...ann, email: 'ann@home.example' };

  it('gets unsent mails at the new address, once', async () => {
    await hearAll([events.registered(), events.paymentApplied()]);
    await test.hear(events.changed(people(moved, bob), 2));
    expect(await test.recipients('pending')).toEqual(['ann@home.example', 'bob@cafe.example']);
    expect(await test.recipients('failed')).toEqual([]);
  });

  it('does not get there a sign-in link that was meant for the owner of the old mailbox', async () => {
    await hearAll([events.registered(), events.signInRequested()]);
    await test.hear(events.changed(people(moved, bob), 2));
    const [link] = await test.stored();
    expect(link).toMatchObject({ state: 'failed', recipient: 'ann@cafe.example' });
    expect(JSON.stringify(link)).not.toContain('0123456789abcdef');
  });

  it('gets no second copy when the new address has already got the mail for somebody else', async () => {
    await hearAll([events.registered(), events.paymentApplied()]);
    await test.hear(events.changed(people({ ...ann, email: bob.email }, bob), 2));
    expect(await test.recipients('pending')).toEqual(['bob@cafe.example']);
  });

  it('that differs only by upper and lower case is the same recipient', async () => {
    await hearAll([events.registered(people(ann)), events.paymentApplied()]);
    await test.hear(events.changed(people({ ...ann, email: 'Ann@Cafe.example' }), 2));
    expect(await test.recipients('pending')).toEqual(['ann@cafe.example']);
    await test.hear(events.changed(people({ ...ann, enabled: false }, bob), 3));
    expect(await test.recipients('pending')).toEqual([]);
  });
});

describe('a mailbox of two people', () => {
  const office = people({ ...ann, email: 'office@cafe.example' }, { ...bob, email: 'Office@cafe.example' });

  it('still gets it when one of the two leaves before it is sent', async () => {
    await hearAll([events.registered(office), events.paymentApplied()]);
    await test.hear(events.changed(people({ ...bob, email: 'office@cafe.example' }), 2));
    expect(await test.recipients('pending')).toEqual(['office@cafe.example']);
  });
});

describe('a mail without a known recipient', () => {
  it('waits until the organisation is known and is then sent once, also for 120 mails', async () => {
    const offers = Array.from({ length: 120 }, (_, index) => events.paymentApplied({ offerId: index + 1 }));
    await hearAll(offers);
    expect(new Set((await test.stored()).map(({ state }) => state))).toEqual(new Set(['waiting']));
    await test.hear(events.registered(people(ann)));
    await hearAll(offers);
    expect(await test.recipients()).toEqual(offers.map(() => 'ann@cafe.example'));
  });

  it('is sent although the process died between saving the organisation and releasing the mail', async () => {
    const registration = events.registered(people(ann));
    await test.hear(events.paymentApplied());
    await test.mongo.transaction(async (session) => {
      await test.notifier.contacts.save(session, { ...events.cornerCafe, ...people(ann) }, 1);
    });
    await test.mongo.connection.collection<{ _id: string }>('inbox').insertOne({ _id: registration.id });
    expect(await test.recipients('pending')).toEqual([]);
    await test.hear(registration);
    expect(await test.recipients('pending')).toEqual(['ann@cafe.example']);
  });

  it('is sent although the organisation becomes known just after the lookup', async () => {
    const { contacts } = test.notifier;
    const looked = Promise.withResolvers<void>();
    const known = Promise.withResolvers<void>();
    let looks = 0;
    const pausing = test.as({
      contacts: {
        ...contacts,
        findAll: async (...who) => {
          const found = await contacts.findAll(...who);
          looks += 1;
          looked.resolve();
          await known.promise;
          return found;
        },
      },
    });
    const announced = pausing.hear(events.paymentApplied());
    await looked.promise;
    await test.hear(events.registered(people(ann)));
    known.resolve();
    await announced;
    expect(await test.stored()).toMatchObject([{ state: 'pending', recipient: 'ann@cafe.example' }]);
    expect(looks).toBeGreaterThan(1);
  });

  it('waits on while changes of the organisation bring no enabled admin', async () => {
    await hearAll([
      events.registered(people(dot)),
      events.paymentApplied(),
      events.changed(people(dot, max), 2),
    ]);
    expect(await test.stored()).toMatchObject([{ state: 'waiting' }]);
    await test.hear(events.changed(people(dot, { ...max, enabled: true }), 3));
    expect(await test.recipients('pending')).toEqual(['max@cafe.example']);
  });

  it('blocks no other mail when it cannot be read, and is logged without its content', async () => {
    const [first, second] = [events.paymentApplied({ offerId: 1 }), events.paymentApplied({ offerId: 2 })];
    await hearAll([first, second]);
    const unreadable = { $set: { 'data.paidAt': 'Lunch time for ann@cafe.example' } };
    await test.mongo.connection
      .collection<{ _id: string }>('notifications')
      .updateOne({ _id: `OfferPaymentApplied/${first.id}` }, unreadable);
    await test.hear(events.registered(people(ann)));
    expect((await test.stored()).map(({ state }) => state).toSorted()).toEqual(['pending', 'waiting']);
    expect((await test.notifier.contacts.find(1))?.people).toEqual([ann]);
    expect(test.log.join()).toContain(first.id);
    expect(test.log.join()).not.toMatch(/Lunch|ann@cafe/);
  });

  it('shows the time of the event, not the time of sending', async () => {
    await test.hear(events.credited());
    await test.hear(events.credited({ amountMinor: '100' }));
    test.clock.advance(24 * 3_600_000);
    await test.hear(events.registered(people(ann)));
    for (const { message } of await test.stored())
      expect(message?.text).toContain('Credited on: 1 June 2026 at 13:00 (UTC+1)');
  });
});

describe('a mail that a person has switched off', () => {
  it('is not sent to this person until they switch it on again', async () => {
    const { preferences } = test.notifier;
    await test.hear(events.registered(people(ann)));
    await test.hear(events.ended({ offerId: 1 }));
    await preferences.switchOff(ann.personId, 'offerEnded', new Date());
    await hearAll([events.ended({ offerId: 2 }), events.low(), events.paymentApplied({ offerId: 2 })]);
    const chosen = { ...usualPreferences, offerEnded: true, balanceLow: false, testMode: false };
    await preferences.save(ann.personId, chosen, new Date());
    await hearAll([events.ended({ offerId: 3 }), events.low()]);
    const causes = (await test.stored()).map(({ _id }) => _id.replace(/\/[\da-f-]{36}/, ''));
    expect(causes).toEqual([
      'BalanceLow to ann@cafe.example',
      'offer-ended/offer/1 to ann@cafe.example',
      'offer-ended/offer/3 to ann@cafe.example',
      'offer-paid/offer/2 to ann@cafe.example',
    ]);
  });

  it('is not sent either when it waited for the organisation before', async () => {
    await hearAll([events.ended(), events.paymentApplied()]);
    await test.notifier.preferences.switchOff(ann.personId, 'offerEnded', new Date());
    await test.hear(events.registered(people(ann)));
    expect((await test.stored()).map(({ _id }) => _id)).toEqual(['offer-paid/offer/17 to ann@cafe.example']);
  });
});

describe('a mail of TEST mode', () => {
  const inTest = { mode: 'TEST' } as const;
  const all = () => [
    events.linkIssued(inTest),
    events.paymentApplied(inTest),
    events.ended(inTest),
    events.credited(inTest),
    events.toppedUp(inTest),
    events.low(inTest),
  ];

  it('comes only to people who have switched these mails on, whatever it is about', async () => {
    await test.hear(events.registered());
    await hearAll(all());
    expect(await test.recipients()).toEqual([]);
    const chosen = { ...usualPreferences, offerEnded: true, balanceLow: false, testMode: true };
    await test.notifier.preferences.save(ann.personId, chosen, new Date());
    await hearAll(all());
    expect(await test.recipients()).toEqual(Array<string>(5).fill('ann@cafe.example'));
  });
});

describe('events that come at the same time', () => {
  const paid = (offerIds: readonly number[]) => offerIds.map((offerId) => events.paymentApplied({ offerId }));

  it('are stored together, each once, also when one of them comes twice', async () => {
    await test.hear(events.registered(people(ann)));
    let transactions = 0;
    const { mongo } = test.notifier;
    const transaction: typeof mongo.transaction = (work) => {
      transactions += 1;
      return mongo.transaction(work);
    };
    const { hearTogether } = test.as({ mongo: { ...mongo, transaction } });
    const batch = paid([1, 2, 3, 4, 5]);
    await hearTogether([...batch, ...batch.slice(0, 1)]);
    await hearTogether(batch.slice(1));
    expect(await test.recipients('pending')).toHaveLength(5);
    expect(transactions).toBe(2);
  });

  it('are not stored with one that cannot be, and then each alone', async () => {
    await test.hear(events.registered(people(ann)));
    const { notifications } = test.notifier;
    const { hear, hearTogether } = test.as({
      notifications: {
        ...notifications,
        add: async (session, added, now) => {
          if (added.some(({ id }) => id.startsWith('offer-paid/offer/3 '))) throw new Error('not this one');
          return notifications.add(session, added, now);
        },
      },
    });
    const batch = paid([1, 2, 3, 4, 5]);
    await expect(hearTogether(batch)).rejects.toThrow('not this one');
    expect(await test.recipients()).toEqual([]);
    const outcomes = await Promise.allSettled(batch.map(hear));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await test.recipients('pending')).toHaveLength(4);
    await hearAll(batch);
    expect(await test.recipients('pending')).toHaveLength(5);
  });
});

it('an occurrence that waits for an organisation is deleted after 180 days', async () => {
  const indexes = await test.mongo.connection.collection('notifications').indexes();
  expect(indexes).toContainEqual(
    expect.objectContaining({
      key: { createdAt: 1 },
      expireAfterSeconds: 180 * 86_400,
      partialFilterExpression: { state: 'waiting' },
    }),
  );
});
