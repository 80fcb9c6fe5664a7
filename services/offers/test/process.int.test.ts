/**
 * Processes of the service killed in the middle of creations: at every call to another service, before anything was done
 * for it and before the answer left, and in every commit, which was then made or lost. Another replica ends what they began.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { png } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { holdCommits, installCrashPoints } from './creation/crash-points.ts';
import { form, type Parts } from './forms.ts';
import { standstill } from './lifecycle/standstill.ts';
import { killVictims, startVictim, type Victim } from './lifecycle/victims.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';

const LEASE_MS = 31_000;
const ABANDONED_MS = 61_000;

/** One process dies in each row, with two creations at each of its moments: one is tried again, the other left alone. */
const deaths = {
  'before the reservation': [
    'commit.received.lost.B',
    'commit.received.made.B',
    'call.price.asked.B',
    'call.price.done.B',
    'call.balance.asked.B',
    'call.balance.done.B',
    'call.verdict.asked.B',
    'call.verdict.done.E',
  ],
  'while billing is asked': [
    'call.charge.asked.B',
    'call.charge.done.B',
    'call.checkout.asked.E',
    'call.checkout.done.E',
  ],
  'while a refused sale is settled': [
    'call.settle.asked.B.refused',
    'call.settle.done.B.refused',
    'call.settle.asked.E.refused',
    'call.settle.done.E.refused',
  ],
  'in the commit of the reservation': [
    'commit.charging.lost.B',
    'commit.charging.made.B',
    'commit.charging.lost.E',
    'commit.charging.made.E',
  ],
  'in the commit that finishes': [
    'commit.finished.lost.B',
    'commit.finished.made.B',
    'commit.finished.lost.E',
    'commit.finished.made.E',
  ],
  'in the commit of a refusal': [
    'commit.freed.lost.B.refused',
    'commit.freed.made.B.refused',
    'commit.freed.lost.E.refused',
    'commit.freed.made.E.refused',
  ],
} as const;
type Death = keyof typeof deaths;

/** Left alone, a creation ends as an offer when it was charged, or when it was finished though nobody heard of it. */
const soldBefore = ['call.charge.done.B', 'commit.finished.lost.B', 'commit.finished.made'];

type Dying = {
  /** Its Idempotency-Key and request id. */
  readonly name: string;
  readonly organisationId: number;
  readonly method: 'B' | 'E';
  readonly refused: boolean;
  readonly triedAgain: boolean;
  readonly becomesOffer: boolean;
};

function dyingAt(moments: readonly string[]): Dying[] {
  const names = moments.flatMap((moment) => [`${moment}.retry`, `${moment}.sweep`]);
  return names.map((name, index) => {
    const refused = name.includes('.refused.');
    const triedAgain = name.endsWith('.retry');
    const becomesOffer = !refused && (triedAgain || soldBefore.some((sold) => name.startsWith(sold)));
    const method = name.includes('.E.') ? 'E' : 'B';
    return { name, organisationId: index + 1, method, refused, triedAgain, becomesOffer };
  });
}

let under: OffersUnderTest;
let picture: Buffer;
const victims = new Map<string, Victim>();
beforeAll(async () => {
  under = await startOffersUnderTest();
  picture = await png();
  await installCrashPoints(under.postgres);
  // The victims', or the sweeper would take their first creations for those of a clock that was set back.
  under.clock.set(new Date());
  await Promise.all(
    Object.keys(deaths).map(async (death) => {
      victims.set(death, await startVictim(under));
    }),
  );
}, 300_000);
afterAll(async () => {
  await killVictims();
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.otherServices.reset();
  await under.postgres.query('DELETE FROM idempotency_keys');
  await under.postgres.query('DELETE FROM offers');
  await under.clearEvents();
  under.clock.set(new Date());
});

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const times = { start_datetime: inHours(1), expiry_datetime: inHours(11) };

async function creationOf({ name, method }: Dying) {
  const parts: Parts = { ...times, payment_method: method };
  return {
    body: await form(parts, picture),
    headers: { 'Idempotency-Key': name, 'x-request-id': name },
  };
}

/** All of them at their moments at once, and then the process is dead. */
async function dieWith(victim: Victim, dying: readonly Dying[]): Promise<void> {
  const commits = await holdCommits(under.postgres);
  const calls = standstill();
  under.otherServices.onCall = ({ name, when, requestId }) =>
    calls.at(requestId, requestId.startsWith(`call.${name}.${when}.`));
  const ends = Promise.all(
    dying.map(async (it) =>
      victim.ask('POST', '/offers', { ...(await creationOf(it)), organisationId: it.organisationId }),
    ),
  );
  const names = dying.map((it) => it.name);
  const reached = Promise.all([
    calls.reached(names.filter((name) => name.startsWith('call.'))),
    commits.reached(names.filter((name) => name.startsWith('commit.'))),
  ]);
  try {
    // An answer before the kill would show here.
    await Promise.race([reached, ends]);
  } finally {
    await victim.kill();
    under.otherServices.onCall = async () => {};
    await commits.decide(names.filter((name) => name.includes('.lost.')));
    calls.giveUp();
  }
  await ends;
}

describe.each(Object.keys(deaths) as Death[])('a process killed %s', (death) => {
  it('leaves one offer and one sale when the client tries again, and one of each or none of both when nobody does', async () => {
    const dying = dyingAt(deaths[death]);
    Object.assign(under.otherServices.billing, {
      spent: dying.some((it) => it.refused),
      tooSmall: dying.some((it) => it.refused),
    });
    await dieWith(victims.get(death)!, dying);

    under.clock.set(new Date());
    under.clock.advance(LEASE_MS);
    for (const it of dying.filter(({ triedAgain }) => triedAgain)) {
      const { body } = await tryAgain(it);
      const refusal = it.method === 'B' ? 'E3' : 'E1';
      expect({ name: it.name, body }).toMatchObject({ body: { return_code: it.refused ? refusal : 'S1' } });
    }
    under.clock.advance(ABANDONED_MS);
    await under.offers.sweeper.recover();

    expect(await whatIsLeft(dying)).toEqual(Object.fromEntries(dying.map((it) => [it.name, expected(it)])));
  });
});

/** As a client does: it comes again while its key is being worked on, and when a busy machine has let the time run out. */
async function tryAgain(it: Dying): Promise<Answer> {
  return eventually(async () => {
    const creation = await creationOf(it);
    const answer = await under.call('POST', '/offers', {
      ...creation,
      caller: { organisationId: it.organisationId },
    });
    expect([409, 503]).not.toContain(answer.status);
    return answer;
  });
}

type Left = {
  readonly keys: readonly string[];
  readonly shown: readonly boolean[];
  readonly sales: readonly string[];
  readonly told: readonly string[];
};

function expected({ becomesOffer, method }: Dying): Left {
  if (!becomesOffer) return { keys: [], shown: [], sales: [], told: [] };
  return {
    keys: ['finished'],
    shown: [true],
    sales: [method === 'B' ? 'charged' : 'open'],
    told: ['OfferCreated', method === 'B' ? 'OfferPaymentApplied' : 'PaymentLinkIssued'],
  };
}

/** Of each creation, everywhere. Sales that nobody's offer belongs to stand under their own name. */
async function whatIsLeft(dying: readonly Dying[]): Promise<Record<string, Left>> {
  const keys = await under.postgres.query<{ organisation_id: number; recovery_point: string }>(
    'SELECT organisation_id, recovery_point FROM idempotency_keys',
  );
  const offers = await under.postgres.query<{ offer_id: number; organisation_id: number; shown: boolean }>(
    'SELECT offer_id, organisation_id, shown_at IS NOT NULL AS shown FROM offers',
  );
  const events = await under.events();
  const sales = [...under.otherServices.billing.sales].filter(([, { state }]) => state !== 'closed');
  const left = dying.map(({ name, organisationId }) => {
    const own = offers.filter((offer) => offer.organisation_id === organisationId);
    const ids = new Set(own.map((offer) => offer.offer_id));
    return [
      name,
      {
        keys: keys.filter((key) => key.organisation_id === organisationId).map((key) => key.recovery_point),
        shown: own.map((offer) => offer.shown),
        sales: sales.filter(([id]) => ids.has(id)).map(([, { state }]) => state),
        told: events.filter(({ data }) => data.organisationId === organisationId).map((event) => event.name),
      },
    ];
  });
  const known = new Set(offers.map((offer) => offer.offer_id));
  const stray = sales.filter(([id]) => !known.has(id));
  return Object.fromEntries([...left, ...stray.map(([id, sale]) => [`no offer ${id}`, sale])]);
}
