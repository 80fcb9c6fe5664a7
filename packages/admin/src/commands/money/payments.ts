/** Compares the data of offers and billing about every payment: after a restore, or at any time. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  billedPayments,
  chargeAgainReply,
  knownPayments,
  type paymentsPage,
  voidReply,
} from '@offer-ads/contracts/internal/payments-api';
import type { z } from 'zod';
import { type Command, command, count, UsageError, yesOrNo } from '../../command.ts';
import { type PaymentProblem, pairs, paymentProblem } from '../../compare-payments.ts';
import { isAway, Refused, type Tools } from '../../tools.ts';

type Found = { readonly offerId: number; readonly problem: PaymentProblem };

/** More than a person reads. The rest appears after these are repaired. */
const MAX_SHOWN = 1_000;

export const paymentCommands: readonly Command[] = [
  command({
    name: 'payments check',
    summary:
      'Compare what offers and billing know of every payment; --repair yes charges and credits what one of them lost; --wait N waits up to N seconds for both',
    options: { repair: yesOrNo.optional(), wait: count.optional() },
    failed: (result) => 'ok' in result && result.ok === false,
    run: async ({ repair = false, wait = 0 }, tools) => {
      await waitForBoth(tools, wait);
      const { compared, known, problems } = await compareAll(tools);
      // If offers has no data, it is not restored yet or belongs to another system. A repair would then take back all payments for ever.
      if (repair && known === 0 && compared > 0)
        throw new UsageError('offers knows no offer at all, but billing has payments: restore offers first');
      const repaired: { offerId: number; outcome: string }[] = [];
      const failed: { offerId: number; reason: string }[] = [];
      if (repair)
        for (const found of problems) {
          const { offerId } = found;
          try {
            const outcome = await repairOne(found, tools);
            if (outcome !== undefined) repaired.push({ offerId, outcome });
          } catch (error) {
            // A failure does not stop the repair of the others.
            failed.push({ offerId, reason: error instanceof Error ? error.message : String(error) });
          }
        }
      const left = repaired.length === 0 ? problems : (await compareAll(tools)).problems;
      return { ok: left.length === 0, compared, repaired, failed, problems: left };
    },
  }),
];

/** For a scheduled job: its pod may not be admitted to the services yet. */
async function waitForBoth(tools: Tools, seconds: number): Promise<void> {
  const endsAt = performance.now() + seconds * 1_000;
  const one = { after: 0, limit: 1 };
  while (performance.now() < endsAt)
    try {
      await Promise.all([knownPage(tools, one), billedPage(tools, one)]);
      return;
    } catch (error) {
      if (!isAway(error)) throw error;
      await pause(500);
    }
}

type Comparison = {
  readonly compared: number;
  /** To offers. */
  readonly known: number;
  readonly problems: Found[];
};

async function compareAll(tools: Tools): Promise<Comparison> {
  let compared = 0;
  let known = 0;
  const suspected: number[] = [];
  for await (const { offerId, one, other } of pairs(knownOnes(tools), billedOnes(tools))) {
    compared += 1;
    if (one !== undefined) known += 1;
    if (paymentProblem(one, other) !== null && suspected.length < MAX_SHOWN) suspected.push(offerId);
  }
  // Check each difference again, because data may have changed while the pages were read.
  const problems: Found[] = [];
  for (const offerId of suspected) {
    const page = { after: offerId - 1, limit: 1 };
    const one = (await knownPage(tools, page)).find((payment) => payment.offerId === offerId);
    const other = (await billedPage(tools, page)).find((payment) => payment.offerId === offerId);
    const problem = paymentProblem(one, other);
    if (problem !== null) problems.push({ offerId, problem });
  }
  return { compared, known, problems };
}

/** Undefined: a person must decide, or an event must be published again (docs/operations/backup-and-restore.md). */
async function repairOne({ offerId, problem }: Found, { call }: Tools): Promise<string | undefined> {
  if (problem === 'unknown-to-billing') {
    try {
      return chargeAgainReply.parse(await call('offers', `POST /admin/payments/${offerId}/charge`)).outcome;
    } catch (error) {
      // It was to be paid by card, and its payment page no longer exists.
      if (error instanceof Refused && error.status === 409) return undefined;
      throw error;
    }
  }
  if (problem === 'unknown-to-offers')
    return voidReply.parse(await call('billing', `POST /admin/payments/${offerId}/void`)).outcome;
  return undefined;
}

type Page = z.infer<typeof paymentsPage>;
const PAGE = 1_000;

async function knownPage({ call }: Tools, query: Page) {
  return knownPayments.parse(await call('offers', 'GET /admin/payments', { query })).payments;
}

async function billedPage({ call }: Tools, query: Page) {
  return billedPayments.parse(await call('billing', 'GET /admin/payments', { query })).payments;
}

const knownOnes = (tools: Tools) => pageByPage((page) => knownPage(tools, page));
const billedOnes = (tools: Tools) => pageByPage((page) => billedPage(tools, page));

async function* pageByPage<P extends { readonly offerId: number }>(read: (page: Page) => Promise<P[]>) {
  let after = 0;
  for (;;) {
    const payments = await read({ after, limit: PAGE });
    yield* payments;
    const last = payments.at(-1);
    if (last === undefined) return;
    after = last.offerId;
  }
}
