import { randomUUID } from 'node:crypto';
import { advertiser, offerForm } from '../../../harness/advertiser.ts';
import { type Drill, elsewhere, run } from '../../drill.ts';
import type { DrillSystem } from '../../system.ts';

/** A LIVE offer runs, and replicas have room for one. */
export const placementsRoomShort: Drill = {
  alert: 'PlacementsRoomShort',
  cause: async (system) => {
    await giveRoomFor(system, '1');
    await buyLive(system);
  },
  mend: [
    run(
      'sql offers -c "SELECT count(*) FROM offers WHERE mode = \'LIVE\' AND payment_applied_at IS NOT NULL AND deleted_at IS NULL AND expiry_at > now()"',
    ),
    elsewhere('replicas get more memory and a higher PLACEMENTS_LIVE_OFFERS', (system) =>
      giveRoomFor(system, '200000'),
    ),
  ],
};

async function giveRoomFor(system: DrillSystem, offers: string): Promise<void> {
  await system.stop('offers');
  system.setEnv('offers', { PLACEMENTS_LIVE_OFFERS: offers });
  await system.start('offers');
}

async function buyLive(system: DrillSystem): Promise<void> {
  const { id, keys } = system.organisation;
  const account = [`--org=${id}`, '--mode=live'];
  await system.admin('balance', 'top-up', ...account, '--amount=1000.00', `--reference=${randomUUID()}`);
  const { body } = await advertiser(system, keys.LIVE).create(await offerForm({ environment: 'LIVE' }));
  if (body.return_code !== 'S1') throw new Error(`creating it was answered ${JSON.stringify(body)}`);
}
