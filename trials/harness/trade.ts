/** What an advertiser and the platform team do in a trial, in one line each. */
import { mustEqual } from '@offer-ads/dev/demo/checks';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { advertiser, hourMs, inFuture, offerForm } from './advertiser.ts';
import { mailsTo, payAsAPersonWould } from './simulators.ts';
import type { System } from './system.ts';
import { switchTestMailsOn } from './visitor.ts';

type PaymentsCheck = {
  readonly repaired: readonly { readonly offerId: number; readonly outcome: string }[];
  readonly problems: readonly { readonly offerId: number; readonly problem: string }[];
};
type Listed = { readonly offer_id: number; readonly offer_status: string; readonly image: string };

export type Trade = ReturnType<typeof tradeOf>;

/** The trade of the first demo organisation, which is British and works in TEST mode. */
export function tradeOf(system: Pick<System, 'state' | 'admin'>) {
  const [organisation] = system.state().organisations;
  if (organisation === undefined) throw new Error('there is no organisation to work with');
  const { id, keys, adminEmail } = organisation;
  const caller = advertiser(system, keys.TEST);
  const account = [`--org=${id}`, '--mode=test'];

  /** For tomorrow, so that a deletion credits the whole price. */
  async function buy(title: string, paymentMethod: 'B' | 'E') {
    const period = { start_datetime: inFuture(24 * hourMs), expiry_datetime: inFuture(48 * hourMs) };
    const form = await offerForm({ title, payment_method: paymentMethod, ...period });
    const { body } = await caller.create(form);
    if (body.return_code !== 'S1') throw new Error(`creating it was answered ${JSON.stringify(body)}`);
    return { offerId: body.offer_id, paymentUrl: body.payment_url };
  }
  async function listed(offerId: number): Promise<Listed | undefined> {
    const { body } = await caller.request('GET', '/offers?environment=test&limit=100');
    return (body.data as readonly Listed[]).find((offer) => offer.offer_id === offerId);
  }
  const status = async (offerId: number) => (await listed(offerId))?.offer_status;
  const balance = async () =>
    (await system.admin<{ balance: string }>('balance', 'show', ...account)).balance;
  const paymentsCheck = (...words: string[]) => system.admin<PaymentsCheck>('payments', 'check', ...words);

  return {
    chargeBalance: async (title: string) => (await buy(title, 'B')).offerId,
    buyByCard: (title: string) => buy(title, 'E'),
    pay: payAsAPersonWould,
    payByCard: async (title: string) => {
      const { offerId, paymentUrl } = await buy(title, 'E');
      return { offerId, sessionId: await payAsAPersonWould(paymentUrl) };
    },
    delete: async (offerId: number) => {
      const { body } = await caller.request('DELETE', `/offers/${offerId}`);
      if (body.return_code !== 'S1') throw new Error(`deleting it was answered ${JSON.stringify(body)}`);
    },
    status,
    untilStatus: (offerId: number, expected: string) =>
      eventually(async () => mustEqual(await status(offerId), expected, `the status of offer ${offerId}`)),
    pictureOf: async (offerId: number) => fetch((await listed(offerId))?.image ?? ''),
    balance,
    untilBalance: (expected: string) =>
      eventually(async () => mustEqual(await balance(), expected, 'the balance')),
    topUp: (amount: string, reference: string) =>
      system.admin('balance', 'top-up', ...account, `--amount=${amount}`, `--reference=${reference}`),
    switchMailsOn: () => switchTestMailsOn(system, adminEmail),
    mailsAbout: async (title: string) =>
      (await mailsTo(system, adminEmail)).filter(({ subject, text }) => `${subject} ${text}`.includes(title)),
    /** `problem offer, problem offer`, in order. */
    paymentProblems: async () =>
      (await paymentsCheck()).problems.map(({ offerId, problem }) => `${problem} ${offerId}`).join(', '),
    /** `outcome offer, outcome offer`, in order. */
    repairPayments: async () =>
      (await paymentsCheck('--repair=yes')).repaired
        .map(({ offerId, outcome }) => `${outcome} ${offerId}`)
        .join(', '),
    republish: async (service: 'gateway' | 'offers' | 'billing', from: Date) => {
      const words = ['events', 'republish', `--service=${service}`, `--from=${from.toISOString()}`];
      return (await system.admin<{ republished: number }>(...words)).republished;
    },
  };
}

export function mustBeNone(found: readonly string[], what: string): void {
  mustEqual(found.join('; '), '', what);
}
