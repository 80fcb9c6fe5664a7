/** What an advertiser and the platform team do in a drill, in one line each. */

import { createAdvertiser, type OfferForm } from '@offer-ads/dev/demo/advertiser';
import { must, mustEqual } from '@offer-ads/dev/demo/checks';
import { clickPay, openPaymentLink } from '@offer-ads/dev/demo/payer';
import { eventually, watchMail } from '@offer-ads/dev/demo/watching';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import type { DrillSystem } from './system.ts';

export type PaymentsCheck = {
  readonly ok: boolean;
  readonly compared: number;
  readonly repaired: readonly { readonly offerId: number; readonly outcome: string }[];
  readonly problems: readonly { readonly offerId: number; readonly problem: string }[];
};

export type Trade = Awaited<ReturnType<typeof createTrade>>;

const dayMs = 24 * 60 * 60 * 1000;

export async function createTrade(system: DrillSystem) {
  const organisation = system.state().organisations.find(({ country }) => country === 'GB');
  must(organisation !== undefined, 'there is an organisation in the United Kingdom');
  // Ports and so addresses may change from start to start.
  const advertiser = () => createAdvertiser(system.state().gateway, organisation.keys.TEST);
  const categoryId = (await advertiser().categories())[0]?.category_id ?? 0;
  const image = await photographLikeJpeg({ width: 300, height: 300 });
  const org = `${organisation.id}`;

  async function buy(title: string, paymentMethod: OfferForm['paymentMethod']) {
    const startAt = new Date(Date.now() + dayMs);
    const expiryAt = new Date(startAt.getTime() + dayMs);
    const form = { title, categoryId, interestIds: [], startAt, expiryAt, paymentMethod, image };
    return advertiser().createTwice(form);
  }

  const balance = async () => {
    const shown = await system.admin<{ balance: string }>('balance', 'show', '--org', org, '--mode', 'test');
    return shown.balance;
  };

  return {
    organisation,
    /** From the balance, for tomorrow, so that a deletion credits all of it. */
    charge: async (title: string) => (await buy(title, 'B')).offer_id,
    byCard: async (title: string) => {
      const { offer_id: offerId, payment_url: paymentUrl } = await buy(title, 'E');
      must(paymentUrl !== null, 'a card offer has a payment link');
      return { offerId, paymentUrl };
    },
    pay: async (paymentUrl: string) => void (await clickPay(await openPaymentLink(paymentUrl))),
    delete: (offerId: number) => advertiser().delete(offerId),
    status: async (offerId: number) => (await advertiser().listed(offerId))?.offer_status,
    becomes: (offerId: number, status: string) =>
      eventually(`offer ${offerId} is ${status}`, async () =>
        (await advertiser().listed(offerId))?.offer_status === status ? true : undefined,
      ),
    pictureOf: async (offerId: number) => fetch((await advertiser().listed(offerId))?.image ?? ''),
    balance,
    balanceBecomes: (expected: string) =>
      eventually(`a balance of ${expected}`, async () => ((await balance()) === expected ? true : undefined)),
    topUp: (amount: string, reference: string) =>
      system.admin(
        'balance',
        'top-up',
        '--org',
        org,
        '--mode',
        'test',
        '--amount',
        amount,
        '--reference',
        reference,
      ),
    mails: (title: string, count: number) =>
      watchMail(system.state().mailbox, organisation.adminEmail)(title, count),
    paymentsCheck: (...words: string[]) => system.admin<PaymentsCheck>('payments', 'check', ...words),
    ledgerIsSound: async () =>
      mustEqual((await system.admin<{ ok: boolean }>('ledger', 'check')).ok, true, 'the ledger is sound'),
    republish: async (service: 'gateway' | 'offers' | 'billing', from: Date) => {
      const words = ['events', 'republish', '--service', service, '--from', from.toISOString()];
      return (await system.admin<{ republished: number }>(...words)).republished;
    },
  };
}

/** `problem offer, problem offer`, in order, for comparing. */
export function named({ problems }: PaymentsCheck): string {
  return problems.map(({ offerId, problem }) => `${problem} ${offerId}`).join(', ');
}
