/** What the guide warns of: one database alone is restored to an earlier moment than its neighbour. Then the money is corrected. */
import { mustEqual, say, scene } from '@offer-ads/dev/demo/checks';
import { query } from '../harness/sql.ts';
import { mustBeNone, type Trade } from '../harness/trade.ts';
import type { DrillStores } from './stores.ts';
import type { RestartableSystem } from './system.ts';

export async function oneIsBehind(
  service: 'billing' | 'offers',
  { stores, system, trade }: { stores: DrillStores; system: RestartableSystem; trade: Trade },
): Promise<void> {
  scene(`${service} alone is put back`);
  const deleted = await trade.chargeBalance(`Deleted later, ${service}`);
  const before = await trade.balance();
  await system.stop();
  await replaceDatabase(stores, `${service}_backup`, service);
  const moment = await stores.moment();
  await system.start();

  const bought = await trade.chargeBalance(`Bought later, ${service}`);
  await trade.delete(deleted);
  await trade.topUp('10.00', `later-${service}`);
  await system.rest();
  const after = await trade.balance();
  say(
    `after the backup: offer ${bought} bought, ${deleted} deleted, 10.00 added; balance ${before}, then ${after}`,
  );

  await system.stop();
  await replaceDatabase(stores, service, `${service}_backup`);
  await system.migrateRestored(service);
  await system.start();
  await system.rest();

  if (service === 'billing') {
    mustEqual(await trade.balance(), before, 'the balance of the backup');
    const missing = `credit-missing ${deleted}, unknown-to-billing ${bought}`;
    mustEqual(await trade.paymentProblems(), missing, 'what is missing');
    mustEqual(await trade.repairPayments(), `charged ${bought}`, 'repaired');
    await trade.republish('offers', moment);
    // From the platform's own records, under the reference that it had.
    await trade.topUp('10.00', `later-${service}`);
    await trade.untilBalance(after);
    say(
      `payments check --repair yes charged ${bought}, events credited ${deleted}, the top-up was entered: ${after}`,
    );
  } else {
    mustEqual(await trade.balance(), after, 'the balance, which billing keeps');
    const tooMuch = `credited-too-much ${deleted}, unknown-to-offers ${bought}`;
    mustEqual(await trade.paymentProblems(), tooMuch, 'what is too much');
    mustEqual(await trade.repairPayments(), `credited ${bought}`, 'repaired');
    // It runs again though it was credited: it is deleted again, which credits nothing more.
    await trade.delete(deleted);
    await system.rest();
    say(`payments check --repair yes credited ${bought}; ${deleted}, which was back, is deleted again`);
  }
  mustBeNone(await system.audit(), 'faults that the audit found');
  say('offers and billing agree, and the ledger is sound');
}

/** While nobody is connected, a copy as a template is a backup that is whole in itself. */
async function replaceDatabase(stores: DrillStores, name: string, by: string): Promise<void> {
  await query(stores.postgresUrl(), `DROP DATABASE IF EXISTS ${name}`);
  await query(stores.postgresUrl(), `CREATE DATABASE ${name} TEMPLATE ${by}`);
}
