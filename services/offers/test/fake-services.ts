/** Pricing, billing and moderation as real servers that keep to the contracts, and fail when a test says so. */
import {
  type ChargeReply,
  type CheckoutReply,
  type CloseCheckoutReply,
  chargeRequest,
  checkoutRequest,
  closeCheckoutRequest,
  creditPreviewRequest,
  groupChargeRequest,
  groupCheckoutRequest,
  type KeepCheckoutReply,
  keepCheckoutRequest,
  type ResolveChargeReply,
  type SpendingReply,
} from '@offer-ads/contracts/internal/billing-api';
import {
  renditionQuery,
  type StoredVerdictReply,
  type VerdictReply,
} from '@offer-ads/contracts/internal/moderation-api';
import {
  type GroupPricesReply,
  groupPricesRequest,
  type PriceReply,
  priceRequest,
  type QuotedPriceReply,
  type QuotedPriceRequest,
  quotedPriceRequest,
} from '@offer-ads/contracts/internal/pricing-api';
import { readPictureHeader } from '@offer-ads/contracts/pictures/picture-header';
import { renditionSize } from '@offer-ads/contracts/pictures/renditions';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import type { Clock } from '@offer-ads/platform/process/clock';
import { testContextSecret } from '@offer-ads/testing/caller';
import { startTestServer } from '@offer-ads/testing/http-server';
import { resized } from '@offer-ads/testing/pictures/pictures';
import express, { type Request, type Response } from 'express';

/** Every call that offers makes. */
export type CallName =
  | 'price'
  | 'balance'
  | 'spending'
  | 'verdict'
  | 'rendition'
  | 'charge'
  | 'checkout'
  | 'close'
  | 'keep'
  | 'resolve'
  | 'preview';
/** `asked`: before anything was done for the call. `done`: before its answer leaves. */
export type Call = {
  readonly name: CallName;
  readonly when: 'asked' | 'done';
  readonly path: string;
  readonly requestId: string;
};

/** What comes instead of an answer, although the work was done. The platform's client tests more kinds. */
export const spoilings = ['wrong shape', 'connection cut in it', 'status 500'] as const;
export type Spoiling = (typeof spoilings)[number];

type Sale = {
  state: 'charged' | 'open' | 'paid' | 'closed';
  netMinor: bigint;
  at: string;
  url: string | null;
  /** The latest deletion that billing knows, and whether offers has reported it as failed. */
  deletion?: { number: number; hasFailed: boolean };
};

const nothing = async () => {};
/** How many of the next requests end with a broken connection, before or after the work. */
const noBreaks = () => ({ beforeWork: 0, afterWork: 0 });

/** The facts that a test may change, at their beginning. */
const usual = {
  pricing: () => ({
    /** Null: the currency cannot be billed. */
    costMinor: 10_00n as bigint | null,
    matchingUsers: 50,
    isPlaceSwapped: false,
    /** Of a group: the number of matching users at each place; without it as many as for a single offer. */
    matchingAt: [] as readonly number[],
    /** The answer to every quote. Null: the quote holds a price of 7.77. */
    quoteRefusal: null as Extract<QuotedPriceReply, { outcome: 'refused' }> | null,
    /** The latest question about a quote. */
    quoteAsked: null as QuotedPriceRequest | null,
    breaks: noBreaks(),
    asked: 0,
    onAsked: nothing,
  }),
  moderation: () => ({
    verdict: 'allowed' as VerdictReply['verdict'],
    breaks: noBreaks(),
    asked: 0,
    onAsked: nothing,
  }),
  billing: () => ({
    balanceMinor: 1_000_00n,
    /** The latest request for a payment page of a group. */
    groupCheckout: null as object | null,
    /** What it has credited of each offer before. */
    creditedMinor: 0n,
    breaks: noBreaks(),
    closing: 'works' as 'works' | 'unknown',
    /** The card provider refuses every payment as too small, or as too large. */
    tooSmall: false,
    tooLarge: false,
    /** The balance is spent by the time of every charge. */
    spent: false,
    /** What is left of the caller's limit of 60.00 a day when it is asked for. */
    leftMinor: 60_00n,
    /** By the time of the charge; null: enough. */
    leftAtSaleMinor: null as bigint | null,
    /** Too many charges of the balance wait: the next ones are 429. */
    crowded: false,
    /** Runs when a charge or checkout arrives, before it is answered. */
    onSale: nothing as (offerId: number) => Promise<void>,
    /** Runs after the work, before the answer leaves. */
    onSold: nothing as (offerId: number) => Promise<void>,
    /** Runs when a page is to be closed, before it is closed. */
    onClose: nothing,
  }),
  calls: () => ({
    /** Runs at both moments of every call. If it throws, the answer is a 500. */
    onCall: nothing as (call: Call) => Promise<void>,
    /** The answers of these calls are spoilt. */
    spoilt: {} as Partial<Record<CallName, Spoiling>>,
  }),
};

type Billing = ReturnType<typeof usual.billing> & {
  /** What billing knows, by offer id; of groups by their negated ids. */
  readonly sales: Map<number, Sale>;
  /** The payer pays the open page. */
  readonly pay: (offerId: number) => void;
  readonly charges: () => number;
};
export type FakeServices = AsyncDisposable &
  ReturnType<typeof usual.calls> & {
    readonly urls: Record<'pricing' | 'billing' | 'moderation', string>;
    readonly pricing: ReturnType<typeof usual.pricing>;
    readonly moderation: ReturnType<typeof usual.moderation>;
    readonly billing: Billing;
    readonly reset: () => void;
  };

type Work = (req: Request) => object | Promise<object>;
type OnCall = (method: 'get' | 'post', path: string, name: CallName, work: Work) => void;

const vatMinor = 200n;
const LIMIT_MINOR = '6000';
/** The answer of billing when too many charges of a balance wait. */
const tooManyCharges = { message: 'Too many requests' };

export async function startFakeServices(clock: Clock): Promise<FakeServices> {
  const sales = new Map<number, Sale>();
  const [pricing, moderation, calls] = [usual.pricing(), usual.moderation(), usual.calls()];
  const billing: Billing = {
    ...usual.billing(),
    sales,
    pay: (offerId) => {
      const sale = sales.get(offerId);
      if (sale?.state !== 'open') throw new Error(`offer ${offerId} has no open page`);
      sale.state = 'paid';
    },
    charges: () => [...sales.values()].filter((sale) => sale.state === 'charged').length,
  };
  const services = { pricing, moderation, billing };

  /** Runs the work between the two moments of the call, and fails as the test says. */
  const answer =
    (service: keyof typeof services, name: CallName, work: Work) => async (req: Request, res: Response) => {
      const { breaks } =
        name === 'balance' || name === 'spending' ? { breaks: noBreaks() } : services[service];
      const call = { name, path: req.path, requestId: requestFacts(req).requestId };
      await calls.onCall({ ...call, when: 'asked' });
      if (breaks.beforeWork > 0) {
        breaks.beforeWork -= 1;
        return void req.socket.destroy();
      }
      const body = await work(req);
      await calls.onCall({ ...call, when: 'done' });
      if (breaks.afterWork > 0) {
        breaks.afterWork -= 1;
        return void req.socket.destroy();
      }
      const spoiling = calls.spoilt[name];
      if (spoiling !== undefined) spoil(res, spoiling, JSON.stringify(body));
      else if (body === tooManyCharges) res.status(429).json(body);
      else if ('bytes' in body) res.type('image/jpeg').send(body.bytes);
      else res.json(body);
    };
  const serve = (service: keyof typeof services, endpoints: (on: OnCall) => void) =>
    startTestServer(
      (app) => {
        app.use(requireCaller({ secret: testContextSecret, audience: service, clock }));
        app.use(express.json(), express.raw({ limit: '16mb' }));
        endpoints((method, path, name, work) => app.route(path)[method](answer(service, name, work)));
      },
      { clock },
    );
  const ask = async (service: { asked: number; onAsked: () => Promise<void> }) => {
    service.asked += 1;
    await service.onAsked();
  };
  const sell =
    (
      read: (body: unknown) => { readonly offerId: number; readonly netMinor: string },
      sale: (billing: Billing, offerId: number, netMinor: bigint) => object,
    ): Work =>
    async ({ body }) => {
      const { offerId, netMinor } = read(body);
      await billing.onSale(offerId);
      if (billing.crowded) return tooManyCharges;
      const { leftAtSaleMinor: left } = billing;
      const exceeded = {
        per: 'day',
        limitMinor: LIMIT_MINOR,
        leftMinor: `${left}`,
        costMinor: netMinor,
      } as const;
      const reply =
        left !== null && left < BigInt(netMinor)
          ? { outcome: 'refused', reason: 'above-limit', balanceMinor: '0', minimumMinor: null, exceeded }
          : sale(billing, offerId, BigInt(netMinor));
      await billing.onSold(offerId);
      return reply;
    };
  const sumOf =
    (schema: typeof groupChargeRequest) =>
    (body: unknown): { readonly offerId: number; readonly netMinor: string } => {
      const { groupId, offers } = schema.parse(body);
      return {
        offerId: -groupId,
        netMinor: `${offers.reduce((sum, { netMinor }) => sum + BigInt(netMinor), 0n)}`,
      };
    };
  const offerIdIn = ({ params }: Request) => Number(params['offerId'] ?? `-${String(params['groupId'])}`);

  const servers = await Promise.all([
    serve('pricing', (on) => {
      on('post', '/internal/price', 'price', async ({ body }) => {
        priceRequest.parse(body);
        await ask(pricing);
        return priceFrom(pricing);
      });
      on('post', '/internal/group-prices', 'price', async ({ body }): Promise<GroupPricesReply> => {
        const { offers } = groupPricesRequest.parse(body);
        await ask(pricing);
        const { matchingUsers, matchingAt } = pricing;
        const at = (index: number) => ({ ...pricing, matchingUsers: matchingAt[index] ?? matchingUsers });
        return {
          prices: offers.map((_, index) =>
            Object.assign(priceFrom(at(index)), { quoteId: `quote.${index}` }),
          ),
        };
      });
      on('post', '/internal/quoted-price', 'price', async ({ body }) => {
        pricing.quoteAsked = quotedPriceRequest.parse(body);
        await ask(pricing);
        return pricing.quoteRefusal ?? heldPrice;
      });
    }),
    serve('billing', (on) => {
      on('get', '/internal/balance', 'balance', (req) => {
        const { mode, currency } = callerOf(req);
        return { mode, currency, balanceMinor: billing.balanceMinor.toString() };
      });
      on('get', '/internal/spending', 'spending', (): SpendingReply => {
        const { leftMinor } = billing;
        return { day: { limitMinor: LIMIT_MINOR, leftMinor: `${leftMinor}` }, month: null };
      });
      on('post', '/internal/charges', 'charge', sell(chargeRequest.parse, charge(clock)));
      on('post', '/internal/checkouts', 'checkout', sell(checkoutRequest.parse, openCheckout));
      on('post', '/internal/group-charges', 'charge', sell(sumOf(groupChargeRequest), charge(clock)));
      on('post', '/internal/group-checkouts', 'checkout', async (req) => {
        billing.groupCheckout = groupCheckoutRequest.parse(req.body);
        return sell(sumOf(groupCheckoutRequest), openCheckout)(req);
      });
      for (const sold of ['offers/:offerId', 'groups/:groupId']) {
        on('post', `/internal/${sold}/close-checkout`, 'close', async (req) => {
          await billing.onClose();
          return closeFor(billing, offerIdIn(req), closeCheckoutRequest.parse(req.body).deletion);
        });
        on('post', `/internal/${sold}/keep-checkout`, 'keep', (req) =>
          keep(billing, offerIdIn(req), keepCheckoutRequest.parse(req.body).deletion),
        );
        on('post', `/internal/${sold}/resolve-charge`, 'resolve', (req) => resolve(billing, offerIdIn(req)));
      }
      on('post', '/internal/offers/:offerId/credit-preview', 'preview', (req) => {
        const { creditedMinor } = billing;
        const { netMinor = 0n } = sales.get(offerIdIn(req)) ?? {};
        const earned = creditTarget(netMinor, creditPreviewRequest.parse(req.body));
        return { creditMinor: `${earned - creditedMinor}`, creditedMinor: `${creditedMinor}` };
      });
    }),
    serve('moderation', (on) => {
      on('post', '/internal/renditions', 'rendition', rendition);
      on('get', '/internal/verdicts/:cleanHash', 'verdict', (): StoredVerdictReply => {
        const judged = verdictOn(moderation.verdict, Buffer.alloc(0));
        return judged.verdict === 'refused' ? judged : { verdict: 'allowed' };
      });
      on('post', '/internal/verdicts', 'verdict', async (req) => {
        await ask(moderation);
        return verdictOn(moderation.verdict, req.body as Buffer);
      });
    }),
  ]);
  const [{ url: pricingUrl }, { url: billingUrl }, { url: moderationUrl }] = servers;

  return Object.assign(calls, {
    ...services,
    urls: { pricing: pricingUrl, billing: billingUrl, moderation: moderationUrl },
    reset: () => {
      Object.assign(pricing, usual.pricing());
      Object.assign(moderation, usual.moderation());
      Object.assign(billing, usual.billing());
      Object.assign(calls, usual.calls());
      sales.clear();
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    },
  });
}

function priceFrom({
  costMinor,
  matchingUsers,
  isPlaceSwapped,
}: Pick<FakeServices['pricing'], 'costMinor' | 'matchingUsers' | 'isPlaceSwapped'>): PriceReply {
  const rate = { adUnitPriceE8: '100000', exchangeRatePerGbpE6: '1000000', exchangeRateDate: null };
  const money = costMinor === null ? null : { costMinor: costMinor.toString(), ...rate };
  return { matchingUsers, ...(isPlaceSwapped && { isPlaceSwapped }), adUnitsHundredths: '5000', money };
}

export const quotedMinor = 7_77n;
const heldPrice: QuotedPriceReply = {
  outcome: 'honoured',
  price: priceFrom({ costMinor: quotedMinor, matchingUsers: 40, isPlaceSwapped: false }),
};

function verdictOn(verdict: VerdictReply['verdict'], picture: Buffer): VerdictReply {
  switch (verdict) {
    case 'unreadable':
      return { verdict, problem: 'image is damaged or incomplete' };
    case 'refused':
      return { verdict, reason: 'the picture looks explicit' };
    case 'allowed':
      return { verdict, contentType: 'image/jpeg', bytes: picture };
  }
}

async function rendition(req: Request): Promise<{ bytes: Buffer }> {
  const picture = readPictureHeader(req.body as Buffer, 1);
  const { width } = renditionQuery.parse(req.query);
  if (typeof picture === 'string' || picture.width <= width) throw new Error('there is no such rendition');
  return { bytes: await resized(req.body as Buffer, renditionSize(picture, width)) };
}

const charge =
  (clock: Clock) =>
  (billing: Billing, offerId: number, netMinor: bigint): ChargeReply => {
    const known = billing.sales.get(offerId);
    const balanceMinor = () => billing.balanceMinor.toString();
    if (known?.state === 'closed')
      return { outcome: 'refused', reason: 'closed', balanceMinor: balanceMinor() };
    if (known !== undefined) return { outcome: 'charged', chargedAt: known.at, balanceMinor: balanceMinor() };
    if (billing.spent || billing.balanceMinor < netMinor) {
      return { outcome: 'refused', reason: 'balance-too-low', balanceMinor: balanceMinor() };
    }
    billing.balanceMinor -= netMinor;
    const at = clock.now().toISOString();
    billing.sales.set(offerId, { state: 'charged', netMinor, at, url: null });
    return { outcome: 'charged', chargedAt: at, balanceMinor: balanceMinor() };
  };

function openCheckout(billing: Billing, offerId: number, netMinor: bigint): CheckoutReply {
  if (billing.tooLarge) return { outcome: 'refused', reason: 'above-maximum', minimumMinor: null };
  if (billing.tooSmall) return { outcome: 'refused', reason: 'below-minimum', minimumMinor: '30' };
  const known = billing.sales.get(offerId);
  if (known?.state === 'closed') return { outcome: 'refused', reason: 'closed', minimumMinor: null };
  const url = known?.url ?? `http://127.0.0.1/pay/token-of-${offerId}`;
  if (known === undefined) {
    billing.sales.set(offerId, { state: 'open', netMinor, at: new Date().toISOString(), url });
  }
  return { outcome: 'opened', paymentUrl: url, netMinor: netMinor.toString(), vatMinor: vatMinor.toString() };
}

function close(billing: Billing, offerId: number): CloseCheckoutReply {
  if (billing.closing === 'unknown') return { outcome: 'unknown' };
  const known = billing.sales.get(offerId);
  if (known?.state === 'paid' || known?.state === 'charged') return { outcome: 'paid' };
  const closed = known ?? { netMinor: 0n, at: new Date().toISOString(), url: null };
  billing.sales.set(offerId, { ...closed, state: 'closed' });
  return { outcome: 'closed' };
}

function closeFor(billing: Billing, offerId: number, deletion: number): CloseCheckoutReply {
  const latest = billing.sales.get(offerId)?.deletion ?? { number: 0, hasFailed: false };
  if (latest.hasFailed && deletion <= latest.number) return { outcome: 'unknown' };
  const reply = close(billing, offerId);
  const sale = billing.sales.get(offerId);
  if (sale !== undefined && deletion > latest.number) sale.deletion = { number: deletion, hasFailed: false };
  return reply;
}

function keep(billing: Billing, offerId: number, deletion: number): KeepCheckoutReply {
  const sale = billing.sales.get(offerId)!;
  if (deletion >= (sale.deletion?.number ?? 0)) {
    if (sale.state === 'closed') sale.state = 'open';
    sale.deletion = { number: deletion, hasFailed: true };
  }
  return { outcome: sale.state === 'charged' ? 'paid' : sale.state };
}

function resolve(billing: Billing, offerId: number): ResolveChargeReply {
  const { outcome } = close(billing, offerId);
  if (outcome !== 'paid') return { outcome };
  const sale = billing.sales.get(offerId)!;
  return {
    outcome: 'charged',
    paymentMethod: sale.url === null ? 'B' : 'E',
    paymentUrl: sale.url,
    netMinor: sale.netMinor.toString(),
    vatMinor: sale.url === null ? '0' : vatMinor.toString(),
    paidAt: sale.at,
  };
}

function spoil(res: Response, how: Spoiling, answer: string): void {
  switch (how) {
    case 'wrong shape':
      return void res.json({ outcome: 'as usual', verdict: 1 });
    case 'connection cut in it':
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      return void res.write(answer.slice(0, answer.length / 2), () => res.destroy());
    case 'status 500':
      return void res.status(500).type('json').send(answer);
  }
}
