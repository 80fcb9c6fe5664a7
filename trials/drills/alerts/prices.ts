/** Rates, members, estimates, and the offers that are shown to members. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { advertiser, offerForm } from '../../harness/advertiser.ts';
import { type Drills, elsewhere, reachable } from '../drill.ts';
import { changeMembers, misplaceMember } from '../faults/members.ts';
import { estimate } from '../faults/traffic.ts';
import { runLine } from '../runbooks/runbook-line.ts';
import type { DrillSystem } from '../system.ts';

const BUDGET = 5;
/** Prometheus must see the metric before it rises. */
const SEEN_AFTER_MS = 5_000;

export const prices: Drills = {
  /** The bank publishes the file of ten days ago, and an admin has accepted it. */
  RatesStale: {
    cause: async (system) => {
      await system.simulate('rates', { staleDays: 10 });
      await runLine(system, 'admin rates refresh');
    },
    mend: [
      elsewhere('the bank publishes again', ({ simulate }) => simulate('rates', {})),
      'admin rates refresh',
    ],
  },
  /** The bank's file breaks off in the middle. */
  RatesRefused: {
    cause: async (system) => {
      await system.simulate('rates', { malformed: true });
      await runLine(system, 'admin rates refresh').catch(() => {});
    },
    mend: [
      elsewhere('the bank’s file is whole again', ({ simulate }) => simulate('rates', {})),
      'admin rates refresh',
    ],
  },
  /** Somebody asks for places where nobody lives, one after the other. */
  PrivacyBudgetUsedUp: {
    cause: async (system) => {
      await system.restartWith('pricing', { PRIVACY_BUDGET_PER_DAY: String(BUDGET) });
      await eventually(() => ask(system, 60));
      await pause(SEEN_AFTER_MS);
      for (let more = 1; more <= BUDGET; more += 1) await eventually(() => ask(system, 60 + more));
    },
    mend: [
      'admin org show 1',
      elsewhere('the caller stops, and the day is over', ({ restartWith }) =>
        restartWith('pricing', { PRIVACY_BUDGET_PER_DAY: '1000000' }),
      ),
    ],
  },
  /** Pricing still counts, but with old data of members. */
  AudienceIndexLagging: {
    // It is up to twenty seconds old in normal operation.
    faster: { ages: 3 },
    cause: async ({ links }) => links.pricingMongo.takeDown(),
    mend: [reachable('pricing reaches MongoDB again', 'pricingMongo'), 'admin member check'],
  },
  /** Another program writes into pricing's database. */
  MembersLeftOut: {
    cause: misplaceMember,
    mend: [
      elsewhere('the community platform sends that member again', (system) => changeMembers(system, 1)),
      'admin member check',
    ],
  },
  /** A LIVE offer runs, and replicas have room for one. */
  PlacementsRoomShort: {
    cause: async (system) => {
      await system.restartWith('offers', { PLACEMENTS_LIVE_OFFERS: '1' });
      await buyLive(system);
    },
    mend: [
      'sql offers -c "SELECT count(*) FROM offers WHERE mode = \'LIVE\' AND payment_applied_at IS NOT NULL AND deleted_at IS NULL AND expiry_at > now()"',
      elsewhere('replicas get more memory and a higher PLACEMENTS_LIVE_OFFERS', ({ restartWith }) =>
        restartWith('offers', { PLACEMENTS_LIVE_OFFERS: '200000' }),
      ),
    ],
  },
};

async function ask(system: DrillSystem, latitude: number): Promise<void> {
  const reply = await estimate(system, [latitude, -30]);
  await reply.body?.cancel();
  if (!reply.ok) throw new Error(`the estimate was answered with ${reply.status}`);
}

async function buyLive(system: DrillSystem): Promise<void> {
  const { id, keys } = system.organisation;
  const account = [`--org=${id}`, '--mode=live'];
  await system.admin('balance', 'top-up', ...account, '--amount=1000.00', `--reference=${randomUUID()}`);
  const { body } = await advertiser(system, keys.LIVE).create(await offerForm({ environment: 'LIVE' }));
  if (body.return_code !== 'S1') throw new Error(`creating it was answered ${JSON.stringify(body)}`);
}
