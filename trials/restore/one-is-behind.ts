/** What the guide warns of: one database alone is put back to an earlier moment than its neighbour. Money is made right again. */

import { mustEqual, say, scene } from '@offer-ads/dev/demo/checks';
import { query } from '../harness/sql.ts';
import type { DrillStores } from './stores.ts';
import type { DrillSystem } from './system.ts';
import { named, type Trade } from './trade.ts';

export async function oneIsBehind(
  service: 'billing' | 'offers',
  { stores, system, trade }: { stores: DrillStores; system: DrillSystem; trade: Trade },
): Promise<void> {
  scene(`${service} alone is put back`);
  const deleted = await trade.charge(`Deleted later, ${service}`);
  const before = await trade.balance();
  await system.stop();
  await replaceDatabase(stores, `${service}_backup`, service);
  const moment = await stores.moment();
  await system.start();

  const bought = await trade.charge(`Bought later, ${service}`);
  await trade.delete(deleted);
  await trade.topUp('10.00', `later-${service}`);
  const after = await settled(trade);
  say(
    `after the backup: offer ${bought} bought, ${deleted} deleted, 10.00 added; balance ${before}, then ${after}`,
  );

  await system.stop();
  await replaceDatabase(stores, service, `${service}_backup`);
  await system.migrateRestored(service);
  await system.start();
  await settled(trade);

  if (service === 'billing') {
    mustEqual(await trade.balance(), before, 'the balance of the backup');
    mustEqual(
      named(await trade.paymentsCheck()),
      `credit-missing ${deleted}, unknown-to-billing ${bought}`,
      'what is missing',
    );
    const { repaired } = await trade.paymentsCheck('--repair', 'yes');
    mustEqual(
      repaired.map(({ offerId, outcome }) => `${outcome} ${offerId}`).join(),
      `charged ${bought}`,
      'repaired',
    );
    await trade.republish('offers', moment);
    // From the platform's own records, under the reference that it had.
    await trade.topUp('10.00', `later-${service}`);
    await trade.balanceBecomes(after);
    say(
      `payments check --repair yes charged ${bought}, events credited ${deleted}, the top-up was entered: ${after}`,
    );
  } else {
    mustEqual(await trade.balance(), after, 'the balance, which billing keeps');
    mustEqual(
      named(await trade.paymentsCheck()),
      `credited-too-much ${deleted}, unknown-to-offers ${bought}`,
      'what is too much',
    );
    const { repaired } = await trade.paymentsCheck('--repair', 'yes');
    mustEqual(
      repaired.map(({ offerId, outcome }) => `${outcome} ${offerId}`).join(),
      `credited ${bought}`,
      'repaired',
    );
    // It runs again though it was credited: it is deleted again, which credits nothing more.
    await trade.delete(deleted);
    await settled(trade);
    say(`payments check --repair yes credited ${bought}; ${deleted}, which was back, is deleted again`);
  }
  mustEqual(named(await trade.paymentsCheck()), '', 'what offers and billing disagree about');
  await trade.ledgerIsSound();
  say('offers and billing agree, and the ledger is sound');
}

/** The balance once no event is under way any more. */
async function settled(trade: Trade): Promise<string> {
  let last = await trade.balance();
  // A question takes half a second; events take milliseconds.
  for (let calm = 0; calm < 4; ) {
    const now = await trade.balance();
    calm = now === last ? calm + 1 : 0;
    last = now;
  }
  return last;
}

/** While nobody is connected, a copy as a template is a backup that is whole in itself. */
async function replaceDatabase(stores: DrillStores, name: string, by: string): Promise<void> {
  await query(stores.postgresUrl(), `DROP DATABASE IF EXISTS ${name}`);
  await query(stores.postgresUrl(), `CREATE DATABASE ${name} TEMPLATE ${by}`);
}
