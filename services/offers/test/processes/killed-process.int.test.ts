/**
 * Processes of the service that are killed in the middle of creations and of deletions of unpaid offers: at every call to another service,
 * and in every commit, which was then made or lost. The client, or the sweep of another replica, ends what they began.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { png } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { salesIn } from '../creation/creating.ts';
import { createdId, form, formOf, threePlaces } from '../forms.ts';
import { type Answer, offersUnderTest } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';
import { installCrashPoints, killDuring } from './crash-points.ts';
import { killVictims, startVictim, type Victim } from './victims.ts';

const LEASE_MS = 31_000;
const CREATION_ABANDONED_MS = 61_000;
/** Longer than any request may take. */
const DELETION_ABANDONED_MS = 31_000;

/** One process dies in each group. Each held commit takes one of its ten connections. */
const creations = {
  'before billing has answered': [
    'commit.received.lost.B',
    'commit.received.made.B',
    'call.price.asked.B',
    'call.price.done.B',
    'call.balance.asked.B',
    'call.balance.done.B',
    'call.verdict.asked.B',
    'call.verdict.done.E',
    'call.charge.asked.B',
    'call.charge.done.B',
    'call.checkout.asked.E',
    'call.checkout.done.E',
  ],
  'in the commit of the reservation': [
    'commit.charging.lost.B',
    'commit.charging.made.B',
    'commit.charging.lost.E',
    'commit.charging.made.E',
  ],
  'in the commit that finishes the creation': [
    'commit.finished.lost.B',
    'commit.finished.made.B',
    'commit.finished.lost.E',
    'commit.finished.made.E',
  ],
  'of a group': [
    'commit.charging.made.B.group',
    'call.charge.asked.B.group',
    'call.charge.done.B.group',
    'call.checkout.asked.E.group',
    'call.checkout.done.E.group',
    'commit.finished.lost.B.group',
    'commit.finished.made.E.group',
  ],
  'after billing has refused': [
    'call.resolve.asked.B.refused',
    'call.resolve.done.B.refused',
    'call.resolve.asked.E.refused',
    'call.resolve.done.E.refused',
    'commit.freed.lost.B.refused',
    'commit.freed.made.B.refused',
    'commit.freed.lost.E.refused',
    'commit.freed.made.E.refused',
  ],
};
type Group = keyof typeof creations;

/** A creation that no client repeats becomes an offer if it was charged, or was finished. */
const soldBefore = ['call.charge.done.B', 'commit.finished.lost.B', 'commit.finished.made'];

type Creation = {
  readonly name: string;
  readonly organisationId: number;
  readonly method: 'B' | 'E';
  readonly isGroup: boolean;
  readonly isRefused: boolean;
  readonly isRepeated: boolean;
  readonly becomesOffer: boolean;
};

/** Two at each point: the client repeats one, and nobody repeats the other. */
function creationsAt(points: readonly string[]): Creation[] {
  const names = points.flatMap((point) => [`${point}.retry`, `${point}.sweep`]);
  return names.map((name, index) => {
    const isRefused = name.includes('.refused.');
    const isRepeated = name.endsWith('.retry');
    const becomesOffer = !isRefused && (isRepeated || soldBefore.some((sold) => name.startsWith(sold)));
    const method = name.includes('.E.') ? 'E' : 'B';
    const isGroup = name.includes('.group.');
    return { name, organisationId: index + 1, method, isGroup, isRefused, isRepeated, becomesOffer };
  });
}

const under = offersUnderTest();
let picture: Buffer;
let victims: Victim[];
beforeAll(async () => {
  picture = await png();
  await installCrashPoints(under);
  // The clock of the victims. With an earlier one, the sweeper would take their creations over.
  under.clock.set(new Date());
  const count = Object.keys(creations).length + 3;
  victims = await Promise.all(Array.from({ length: count }, () => startVictim(under)));
}, 300_000);
afterAll(killVictims);
beforeEach(() => under.clock.set(new Date()));

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const times = { start_datetime: inHours(1), expiry_datetime: inHours(11) };

const pathOf = ({ isGroup }: Creation) => (isGroup ? '/offer-groups' : '/offers');

async function requestOf({ name, method, isGroup }: Creation) {
  const places = isGroup && { 'location[]': undefined, places: JSON.stringify(threePlaces) };
  const body = await form({ ...times, payment_method: method, ...places }, picture);
  return { body, headers: { 'Idempotency-Key': name, 'x-request-id': name } };
}

describe('a process killed while it creates offers', () => {
  it.each(Object.keys(creations) as Group[])(
    '%s leaves one offer and one sale when the client repeats the request, and otherwise one of each or none of both',
    async (group) => {
      const all = creationsAt(creations[group]);
      const isRefused = all.some((creation) => creation.isRefused);
      Object.assign(under.otherServices.billing, { spent: isRefused, tooSmall: isRefused });
      const byName = new Map(all.map((creation) => [creation.name, creation]));
      const victim = victims.pop()!;
      await killDuring(under, victim, [...byName.keys()], async (name) => {
        const creation = byName.get(name)!;
        const { organisationId } = creation;
        return victim.ask('POST', pathOf(creation), { ...(await requestOf(creation)), organisationId });
      });

      under.clock.set(new Date());
      under.clock.advance(LEASE_MS);
      for (const creation of all.filter(({ isRepeated }) => isRepeated)) {
        const { name, method } = creation;
        const { body } = await repeat(creation);
        const refusal = method === 'B' ? 'E3' : 'E1';
        expect({ name, body }).toMatchObject({ body: { return_code: creation.isRefused ? refusal : 'S1' } });
      }
      await endAbandoned();
      const expected = Object.fromEntries(all.map((creation) => [creation.name, expectedOf(creation)]));
      expect(await whatIsLeftOf(all)).toEqual(expected);
    },
  );
});

/** In rounds, as the sweeper does: what a busy machine could not end is tried again a minute later. */
async function endAbandoned(): Promise<void> {
  await eventually(async () => {
    await under.sweepAfter(CREATION_ABANDONED_MS);
    expect(await under.count("idempotency_keys WHERE recovery_point <> 'finished'")).toBe(0);
  });
}

/** As a client does: again while the key is in use, and after a 503 of a busy machine. */
async function repeat(creation: Creation): Promise<Answer> {
  return eventually(async () => {
    const caller = { organisationId: creation.organisationId };
    const answer = await under.call('POST', pathOf(creation), { ...(await requestOf(creation)), caller });
    expect([409, 503]).not.toContain(answer.status);
    return answer;
  });
}

type Left = Record<'keys' | 'sales' | 'events', readonly string[]> & { readonly shown: readonly boolean[] };

function expectedOf({ becomesOffer, method, isGroup }: Creation): Left {
  if (!becomesOffer) return { keys: [], shown: [], sales: [], events: [] };
  const events = ['OfferCreated', method === 'B' ? 'OfferPaymentApplied' : 'PaymentLinkIssued'];
  const offers = isGroup ? threePlaces : [1];
  return {
    keys: ['finished'],
    shown: offers.map(() => true),
    sales: [method === 'B' ? 'charged' : 'open'],
    events: offers.flatMap(() => events),
  };
}

/** What each creation has left in every place; sales without an offer have a line of their own. */
async function whatIsLeftOf(all: readonly Creation[]): Promise<Record<string, unknown>> {
  const keys = await under.postgres.query<{ organisation_id: number; recovery_point: string }>(
    'SELECT organisation_id, recovery_point FROM idempotency_keys',
  );
  // The sale of a group has its negated id.
  const offers = await under.postgres.query<{ sale: number; organisation_id: number; shown: boolean }>(
    'SELECT coalesce(-group_id, offer_id) AS sale, organisation_id, shown_at IS NOT NULL AS shown FROM offers',
  );
  const events = await under.events();
  const sales = new Map(salesIn(under));
  const left = all.map(({ name, organisationId }): [string, Left] => {
    const own = offers.filter((offer) => offer.organisation_id === organisationId);
    const owned = {
      keys: keys.filter((key) => key.organisation_id === organisationId).map((key) => key.recovery_point),
      shown: own.map((offer) => offer.shown),
      sales: [...new Set(own.map((offer) => offer.sale))].flatMap((sale) => sales.get(sale)?.state ?? []),
      events: events.filter(({ data }) => data.organisationId === organisationId).map((event) => event.name),
    };
    return [name, owned];
  });
  for (const { sale } of offers) sales.delete(sale);
  return {
    ...Object.fromEntries(left),
    ...Object.fromEntries([...sales].map(([id, sale]) => [`offer ${id}`, sale])),
  };
}

describe('a process killed while it edits offers', () => {
  const points = [
    'commit.received.lost',
    'commit.received.made',
    'call.verdict.asked',
    'call.verdict.done',
    'commit.finished.lost',
    'commit.finished.made',
  ];
  const edited = ['Edited', 'other picture', 'OfferUpdated'];
  const untouched = ['As it was', 'same picture'];

  it('leaves each offer edited whole or not at all, once when the client repeats it, and no picture for ever', async () => {
    const names = points.flatMap((point) => [`${point}.retry`, `${point}.sweep`]);
    const ids = new Map<string, number>();
    const pictures = new Map<string, Buffer>();
    for (const [index, name] of names.entries()) {
      // Of their own, because an edit in its commit holds the rows of both pictures.
      ids.set(
        name,
        await createdId(
          under,
          { ...times, title: 'As it was' },
          { picture: await png({ seed: index + 40 }) },
        ),
      );
      pictures.set(name, await png({ seed: index + 80 }));
    }
    const before = new Map<string, unknown>();
    for (const [name, id] of ids) before.set(name, (await under.offer(id)).imageHash);
    await under.clearEvents();
    const requestOf = (name: string) => {
      const body = formOf({ title: 'Edited' }, pictures.get(name));
      return { body, headers: { 'Idempotency-Key': name, 'x-request-id': name } };
    };
    const victim = victims.pop()!;
    await killDuring(under, victim, names, (name) =>
      victim.ask('PATCH', `/offers/${ids.get(name)}`, { organisationId: 1, ...requestOf(name) }),
    );

    under.clock.set(new Date());
    under.clock.advance(LEASE_MS);
    for (const name of names.filter((each) => each.endsWith('.retry')))
      await eventually(async () => {
        const { status } = await under.call('PATCH', `/offers/${ids.get(name)}`, requestOf(name));
        expect({ name, status }).toEqual({ name, status: 200 });
      });
    await endAbandoned();
    const events = await under.events();
    const ends: Record<string, unknown> = {};
    for (const [name, id] of ids) {
      const { title, imageHash } = await under.offer(id);
      const image = imageHash === before.get(name) ? 'same picture' : 'other picture';
      const own = events.filter(({ data }) => data.offerId === id).map((event) => event.name);
      ends[name] = [title, image, ...own];
    }
    const isDone = (name: string) => name.endsWith('.retry') || name.startsWith('commit.finished.made');
    expect(ends).toEqual(Object.fromEntries(names.map((name) => [name, isDone(name) ? edited : untouched])));
    // Pictures that were stored for edits that were never made.
    under.clock.advance(2 * 3_600_000);
    await under.offers.imageRemoval.remove();
    expect(
      await under.count(
        `images WHERE NOT EXISTS (SELECT FROM offers WHERE image = name) AND look_at < now() + interval '1 day'`,
      ),
    ).toBe(0);
  });
});

describe('a process killed while it deletes unpaid offers', () => {
  const points = [
    'call.close.asked',
    'call.close.done',
    'commit.deleting.lost',
    'commit.deleting.made',
    'commit.deleted.lost',
    'commit.deleted.made',
  ];

  /** Unpaid offers, by the names of their deletions. */
  async function killWhileDeleting(names: readonly string[]): Promise<Map<string, number>> {
    const ids = new Map<string, number>();
    for (const [index, title] of names.entries()) {
      const form = { ...times, title, payment_method: 'E' };
      // Deletions of offers with the same picture would wait for one another's commit, which stands still here.
      ids.set(title, await createdId(under, form, { picture: await png({ seed: index + 2 }) }));
    }
    const victim = victims.pop()!;
    await killDuring(under, victim, names, (name) =>
      victim.ask('DELETE', `/offers/${ids.get(name)}`, {
        organisationId: 1,
        headers: { 'x-request-id': name },
      }),
    );
    under.clock.set(new Date());
    return ids;
  }

  async function endsOf(ids: ReadonlyMap<string, number>): Promise<Record<string, string>> {
    const events = await under.events();
    const ends = [...ids].map(async ([name, id]) => {
      const page = under.otherServices.billing.sales.get(id)?.state;
      const names = events.filter(({ data }) => data.offerId === id).map((event) => event.name);
      return [name, [(await under.offer(id))['status'], page, ...names.slice(1)].join(', ')] as const;
    });
    return Object.fromEntries(await Promise.all(ends));
  }

  const deleted = 'Deleted, closed, PaymentLinkIssued, OfferDeleted';
  const untouched = 'Awaiting Payment, open, PaymentLinkIssued';
  const paid = 'Scheduled, paid, PaymentLinkIssued, OfferPaymentApplied';

  it('leaves deletions that the client can repeat, and that the sweep finishes if they had begun', async () => {
    const ids = await killWhileDeleting(points.flatMap((point) => [`${point}.retry`, `${point}.sweep`]));
    for (const [name, id] of ids) {
      if (name.endsWith('.sweep')) continue;
      const { status } = await under.call('DELETE', `/offers/${id}`);
      expect({ name, status }).toEqual({ name, status: name === 'commit.deleted.made.retry' ? 401 : 200 });
    }
    await under.sweepAfter(DELETION_ABANDONED_MS);
    const expected = Object.fromEntries(Array.from(ids.keys(), (name) => [name, deleted]));
    expect(await endsOf(ids)).toEqual({ ...expected, 'commit.deleting.lost.sweep': untouched });
  });

  it('keeps the offer when the payment comes before the sweep', async () => {
    const ids = await killWhileDeleting(['call.close.asked', 'commit.deleting.lost', 'commit.deleting.made']);
    for (const id of ids.values()) {
      under.otherServices.billing.pay(id);
      await under.deliver(OfferPaid, offerPaid(under, id));
    }
    await under.sweepAfter(DELETION_ABANDONED_MS);
    expect(Object.values(await endsOf(ids))).toEqual(Array.from(ids, () => paid));
    expect(await under.count('offers WHERE deleting_since IS NOT NULL')).toBe(0);
  });
});
