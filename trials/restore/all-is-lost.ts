/** Every store is lost and restored to one moment. */
import { setTimeout as pause } from 'node:timers/promises';
import { must, mustEqual, say, scene } from '@offer-ads/dev/demo/checks';
import { postgresServices } from '@offer-ads/dev/start/stores';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { query } from '../harness/sql.ts';
import { mustBeNone, type Trade } from '../harness/trade.ts';
import type { DrillStores } from './stores.ts';
import { type RestartableSystem, withDatabase } from './system.ts';

type Pictures = { readonly backUp: () => void; readonly lose: () => void; readonly restore: () => void };

export async function allIsLost(o: {
  stores: DrillStores;
  system: RestartableSystem;
  trade: Trade;
  pictures: Pictures;
  waitsForList: boolean;
}): Promise<void> {
  const { stores, system, trade, pictures } = o;

  scene('Before the moment');
  await trade.switchMailsOn();
  await stores.backUpPostgres();
  say('a base backup of Postgres; its WAL is archived from now on');
  const kept = await trade.chargeBalance('Kept');
  const paid = await trade.buyByCard('Paid before');
  await trade.pay(paid.paymentUrl);
  await trade.untilStatus(paid.offerId, 'Scheduled');
  const waiting = await trade.buyByCard('Waits for its payment');
  const leaving = await trade.chargeBalance('Deleted just before');
  await trade.topUp('100.00', 'before');
  await eventually(async () => must((await trade.mailsAbout('Waits for its payment')).length > 0, 'a mail'));
  const balanceBefore = await trade.balance();
  say(`offers ${kept}, ${paid.offerId}, ${waiting.offerId}, ${leaving}; balance ${balanceBefore}`);

  // Billing stands still, so that an event is between two databases at the moment: gone from the one, not yet in the other.
  const billing = system.state().processes.billing;
  process.kill(billing, 'SIGSTOP');
  let moment: Date;
  try {
    await trade.delete(leaving);
    await eventually(async () => mustEqual(await outboxOf(stores), 0, 'events in the outbox of offers'));
    await stores.backUpMongo();
    pictures.backUp();
    moment = await stores.moment();
  } finally {
    process.kill(billing, 'SIGCONT');
  }
  say(
    `the moment: ${moment.toISOString()}; the deletion of ${leaving} is published, and billing has not heard of it`,
  );
  const balanceWithCredit = await eventually(async () => {
    const balance = await trade.balance();
    must(balance !== balanceBefore, 'billing credits it afterwards');
    return balance;
  });

  scene('After the moment');
  const lost = await trade.chargeBalance('Lost');
  const lostAndPaid = await trade.buyByCard('Lost though paid');
  await trade.pay(lostAndPaid.paymentUrl);
  await trade.untilStatus(lostAndPaid.offerId, 'Scheduled');
  await trade.pay(waiting.paymentUrl);
  await trade.untilStatus(waiting.offerId, 'Scheduled');
  await trade.topUp('25.00', 'after');
  await trade.delete(kept);
  say(
    `offers ${lost} and ${lostAndPaid.offerId} bought, ${waiting.offerId} paid, ${kept} deleted, 25.00 added`,
  );

  scene('Every store is lost, and put back');
  await system.stop();
  await stores.destroy();
  pictures.lose();
  await stores.restore(moment);
  pictures.restore();
  await system.migrateRestored(...postgresServices);
  await system.start();
  say(
    'Postgres is at the moment, MongoDB and the pictures at their copies, RabbitMQ is empty; ids were skipped',
  );

  scene('What the guide has one do');
  mustEqual(await trade.paymentProblems(), `credit-missing ${leaving}`, 'before events are published again');
  const from = new Date(moment.getTime() - 60 * 60 * 1000);
  for (const service of postgresServices)
    say(`events republish --service ${service}: ${await trade.republish(service, from)}`);
  await trade.untilBalance(balanceWithCredit);
  mustBeNone(await system.audit(), 'faults that the audit found');
  say(
    `offers and billing agree, the ledger is sound, and the deletion is credited, once: ${balanceWithCredit}`,
  );

  scene('What is there');
  mustEqual(await trade.status(kept), 'Scheduled', 'the offer that was deleted afterwards');
  mustEqual(await trade.status(paid.offerId), 'Scheduled', 'the offer that was paid before');
  must((await trade.pictureOf(kept)).ok, 'its picture is shown');
  mustEqual(await trade.status(lost), undefined, 'the offer that was bought afterwards');
  // The mailbox has begun anew, so it holds what was sent since.
  mustEqual((await trade.mailsAbout('Paid before')).length, 0, 'mails that were sent a second time');
  const next = await trade.chargeBalance('New');
  must(next > lostAndPaid.offerId + 1000, `a new offer has an id that no other ever had (${next})`);
  await trade.delete(next);
  await trade.untilBalance(balanceWithCredit);
  await trade.topUp('25.00', 'after');
  await trade.topUp('25.00', 'after');
  say(
    'what was before the moment is there; what came after is not, and can be entered again under its reference',
  );

  if (!o.waitsForList) return;
  scene('What Stripe still knows');
  say('payments are left to their webhooks for ten minutes, and then asked about: that takes a while');
  const giveUpAt = performance.now() + 25 * 60_000;
  while (
    (await trade.status(waiting.offerId)) !== 'Scheduled' ||
    !(await isProblem(system, lostAndPaid.offerId))
  ) {
    must(performance.now() < giveUpAt, 'both payments are found');
    await pause(15_000);
  }
  say(`the payment of ${waiting.offerId} was found, and its offer is Scheduled`);
  say(
    `the payment of ${lostAndPaid.offerId}, which nobody knows any more, is in "card problems", to be refunded`,
  );
}

async function isProblem(system: RestartableSystem, offerId: number): Promise<boolean> {
  type Problems = { payments: { problem: string; offerId: number | null }[] };
  const { payments } = await system.admin<Problems>('card', 'problems');
  return payments.some((payment) => payment.problem === 'unknown-purchase' && payment.offerId === offerId);
}

async function outboxOf(stores: DrillStores): Promise<number> {
  return (await query(withDatabase(stores.postgresUrl(), 'offers'), 'SELECT FROM outbox')).length;
}
