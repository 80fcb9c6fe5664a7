/** Every store is lost and put back to one moment. */
import { setTimeout as pause } from 'node:timers/promises';
import { must, mustEqual, say, scene } from '@offer-ads/dev/demo/checks';
import { eventually } from '@offer-ads/dev/demo/watching';
import { postgresServices } from '@offer-ads/dev/start/stores';
import { query } from '../harness/sql.ts';
import type { DrillStores } from './stores.ts';
import type { DrillSystem } from './system.ts';
import { named, type Trade } from './trade.ts';

type Pictures = { readonly backUp: () => void; readonly lose: () => void; readonly restore: () => void };

export async function allIsLost(o: {
  stores: DrillStores;
  system: DrillSystem;
  trade: Trade;
  pictures: Pictures;
  waitsForList: boolean;
}): Promise<void> {
  const { stores, system, trade, pictures } = o;

  scene('Before the moment');
  await stores.backUpPostgres();
  say('a base backup of Postgres; its WAL is archived from now on');
  const kept = await trade.charge('Kept');
  const paid = await trade.byCard('Paid before');
  await trade.pay(paid.paymentUrl);
  await trade.becomes(paid.offerId, 'Scheduled');
  const waiting = await trade.byCard('Waits for its payment');
  const leaving = await trade.charge('Deleted just before');
  await trade.topUp('100.00', 'before');
  await trade.mails('Waits for its payment', 1);
  const balanceBefore = await trade.balance();
  say(`offers ${kept}, ${paid.offerId}, ${waiting.offerId}, ${leaving}; balance ${balanceBefore}`);

  // Billing stands still, so that an event is between two databases at the moment: gone from the one, not yet in the other.
  const billing = system.state().processes.billing;
  process.kill(billing, 'SIGSTOP');
  let moment: Date;
  try {
    await trade.delete(leaving);
    await eventually('the deletion is published', async () =>
      (await outboxOf(stores)) === 0 ? true : undefined,
    );
    await stores.backUpMongo();
    pictures.backUp();
    moment = await stores.moment();
  } finally {
    process.kill(billing, 'SIGCONT');
  }
  say(
    `the moment: ${moment.toISOString()}; the deletion of ${leaving} is published, and billing has not heard of it`,
  );
  await eventually('billing credits it afterwards', async () =>
    (await trade.balance()) === balanceBefore ? undefined : true,
  );
  const balanceWithCredit = await trade.balance();

  scene('After the moment');
  const lost = await trade.charge('Lost');
  const lostAndPaid = await trade.byCard('Lost though paid');
  await trade.pay(lostAndPaid.paymentUrl);
  await trade.becomes(lostAndPaid.offerId, 'Scheduled');
  await trade.pay(waiting.paymentUrl);
  await trade.becomes(waiting.offerId, 'Scheduled');
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
  mustEqual(
    named(await trade.paymentsCheck()),
    `credit-missing ${leaving}`,
    'what is missing before events come again',
  );
  const from = new Date(moment.getTime() - 60 * 60 * 1000);
  for (const service of postgresServices)
    say(`events republish --service ${service}: ${await trade.republish(service, from)}`);
  await trade.balanceBecomes(balanceWithCredit);
  mustEqual(named(await trade.paymentsCheck()), '', 'what offers and billing disagree about');
  await trade.ledgerIsSound();
  say(
    `offers and billing agree, the ledger is sound, and the deletion is credited, once: ${balanceWithCredit}`,
  );

  scene('What is there');
  mustEqual(await trade.status(kept), 'Scheduled', 'the offer that was deleted afterwards');
  mustEqual(await trade.status(paid.offerId), 'Scheduled', 'the offer that was paid before');
  must((await trade.pictureOf(kept)).ok, 'its picture is shown');
  mustEqual(await trade.status(lost), undefined, 'the offer that was bought afterwards');
  // The mailbox has begun anew, so it holds what was sent since.
  mustEqual((await trade.mails('Paid before', 0)).length, 0, 'mails that were sent a second time');
  const next = await trade.charge('New');
  must(next > lostAndPaid.offerId + 1000, `a new offer has an id that no other ever had (${next})`);
  await trade.delete(next);
  await trade.balanceBecomes(balanceWithCredit);
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
  mustEqual(named(await trade.paymentsCheck()), '', 'what offers and billing disagree about');
  await trade.ledgerIsSound();
}

async function isProblem(system: DrillSystem, offerId: number): Promise<boolean> {
  type Problems = { payments: { problem: string; offerId: number | null }[] };
  const { payments } = await system.admin<Problems>('card', 'problems');
  return payments.some((payment) => payment.problem === 'unknown-purchase' && payment.offerId === offerId);
}

async function outboxOf(stores: DrillStores): Promise<number> {
  const url = new URL(stores.postgresUrl());
  url.pathname = '/offers';
  return (await query(url.href, 'SELECT FROM outbox')).length;
}
