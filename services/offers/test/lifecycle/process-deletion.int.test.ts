/**
 * Processes of the service killed in the middle of deleting an unpaid offer: before and after billing closed its page, and
 * in both commits, which were then made or lost. Whatever happens next, no offer is left that can be neither paid nor deleted.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { png } from '@offer-ads/testing/pictures/pictures';
import { holdCommits, installCrashPoints } from '../creation/crash-points.ts';
import { createdId } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';
import { standstill } from './standstill.ts';
import { killVictims, startVictim, type Victim } from './victims.ts';

/** Longer than any request may take. */
const STRANDED_MS = 31_000;

const moments = {
  calls: ['call.close.asked', 'call.close.done'],
  commits: ['commit.deleting.lost', 'commit.deleting.made', 'commit.deleted.lost', 'commit.deleted.made'],
};

let under: OffersUnderTest;
let picture: Buffer;
let victims: readonly [Victim, Victim, Victim];
beforeAll(async () => {
  under = await startOffersUnderTest();
  picture = await png();
  await installCrashPoints(under.postgres);
  // The victims', or the sweeper would take their first creations for those of a clock that was set back.
  under.clock.set(new Date());
  victims = await Promise.all([startVictim(under), startVictim(under), startVictim(under)]);
}, 300_000);
afterAll(async () => {
  await killVictims();
  await under[Symbol.asyncDispose]();
});
beforeEach(() => {
  under.otherServices.reset();
  under.clock.set(new Date());
});

/** Unpaid offers, each of the name of the moment at which its deletion dies. */
async function dieDeleting(victim: Victim, names: readonly string[]): Promise<Map<string, number>> {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const times = { start_datetime: inHours(1), expiry_datetime: inHours(11) };
  const ids = new Map<string, number>();
  for (const title of names)
    ids.set(title, await createdId(under, { ...times, title, payment_method: 'E' }, { picture }));

  const commits = await holdCommits(under.postgres);
  const calls = standstill();
  under.otherServices.onCall = ({ name, when, requestId }) =>
    calls.at(requestId, requestId === `call.${name}.${when}`);
  const ends = Promise.all(
    [...ids].map(([name, id]) =>
      victim.ask('DELETE', `/offers/${id}`, { organisationId: 1, headers: { 'x-request-id': name } }),
    ),
  );
  const reached = Promise.all([
    calls.reached(names.filter((name) => name.startsWith('call.'))),
    commits.reached(names.filter((name) => name.startsWith('commit.'))),
  ]);
  try {
    await Promise.race([reached, ends]);
  } finally {
    await victim.kill();
    under.otherServices.onCall = async () => {};
    await commits.decide(names.filter((name) => name.endsWith('.lost')));
    calls.giveUp();
  }
  await ends;
  under.clock.set(new Date());
  return ids;
}

async function endOf(id: number): Promise<string> {
  const { body } = await under.admin('GET', `/admin/offers/${id}`);
  const page = under.otherServices.billing.sales.get(id)?.state;
  const told = (await under.events()).filter(({ data }) => data.offerId === id).map((event) => event.name);
  return [(body as { status: string }).status, page, ...told.slice(1)].join(', ');
}

async function endsOf(ids: ReadonlyMap<string, number>): Promise<Record<string, string>> {
  const ends = [...ids].map(async ([name, id]) => [name, await endOf(id)] as const);
  return Object.fromEntries(await Promise.all(ends));
}

const deleted = 'Deleted, closed, PaymentLinkIssued, OfferDeleted';
const untouched = 'Awaiting Payment, open, PaymentLinkIssued';
const paid = 'Scheduled, paid, PaymentLinkIssued, OfferPaymentApplied';

describe('a process killed while it deletes', () => {
  it('leaves what the client can delete by trying again', async () => {
    const ids = await dieDeleting(victims[0], [...moments.calls, ...moments.commits]);
    for (const [name, id] of ids) {
      const { status } = await under.call('DELETE', `/offers/${id}`);
      expect({ name, status }).toEqual({ name, status: name === 'commit.deleted.made' ? 401 : 200 });
    }
    expect(Object.values(await endsOf(ids))).toEqual(Array.from(ids, () => deleted));
  });

  it('leaves a deletion that is finished although nobody asks, or one that was never begun', async () => {
    const ids = await dieDeleting(victims[1], [...moments.calls, ...moments.commits]);
    under.clock.advance(STRANDED_MS);
    await under.offers.sweeper.recover();
    const begun = Object.fromEntries(Array.from(ids.keys(), (name) => [name, deleted]));
    expect(await endsOf(ids)).toEqual({ ...begun, 'commit.deleting.lost': untouched });
  });

  it('keeps the offer when the payer was faster than whoever finishes the deletion', async () => {
    const ids = await dieDeleting(victims[2], [
      'call.close.asked',
      'commit.deleting.lost',
      'commit.deleting.made',
    ]);
    for (const id of ids.values()) {
      under.otherServices.billing.pay(id);
      await under.deliver(OfferPaid, offerPaid(under, id));
    }
    under.clock.advance(STRANDED_MS);
    await under.offers.sweeper.recover();
    expect(Object.values(await endsOf(ids))).toEqual(Array.from(ids, () => paid));
    const stranded = 'SELECT 1 FROM offers WHERE deleting_since IS NOT NULL';
    expect(await under.postgres.query(stranded)).toEqual([]);
  });
});
