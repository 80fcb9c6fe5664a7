/** Pricing, billing and moderation as offers meets them: real servers that keep to the contracts, and fail when told to. */
import {
  type ChargeReply,
  type CheckoutReply,
  type CloseCheckoutReply,
  chargeRequest,
  checkoutRequest,
  closeCheckoutRequest,
  creditPreviewRequest,
  type KeepCheckoutReply,
  keepCheckoutRequest,
  type SettleReply,
} from '@offer-ads/contracts/internal/billing-api';
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import { priceRequest } from '@offer-ads/contracts/internal/pricing-api';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { type HttpServer, startHttpServer } from '@offer-ads/platform/http/server';
import type { Clock } from '@offer-ads/platform/process/clock';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testContextSecret } from '@offer-ads/testing/caller';
import { silentLogger } from '@offer-ads/testing/logger';
import express, { type Express, type Request, type Response } from 'express';

/** Everything that offers asks of others. */
export const callNames = [
  'price',
  'balance',
  'verdict',
  'charge',
  'checkout',
  'close',
  'keep',
  'settle',
  'preview',
] as const;
export type CallName = (typeof callNames)[number];
/** A call at one of its two moments: `asked`, before anything was done for it, and `done`, before the answer leaves. */
export type Call = {
  readonly name: CallName;
  readonly when: 'asked' | 'done';
  readonly path: string;
  readonly requestId: string;
};

/** What comes instead of an answer, although the work was done. */
export const spoilings = ['html', 'wrong shape', 'half of it', 'connection cut in it', 'status 500'] as const;
export type Spoiling = (typeof spoilings)[number];

/** How many of the coming requests a service answers by breaking the connection, before or after it did the work. */
type Breaks = { beforeWork: number; afterWork: number };

type Sale = {
  state: 'charged' | 'open' | 'paid' | 'closed';
  netMinor: bigint;
  at: string;
  url: string | null;
  /** The latest deletion that billing heard of, and whether it was taken back. */
  deletion?: { number: number; takenBack: boolean };
};

export type FakeServices = AsyncDisposable & {
  readonly urls: Record<'pricing' | 'billing' | 'moderation', string>;
  readonly pricing: {
    /** Null: the currency cannot be billed. */
    costMinor: bigint | null;
    matchingUsers: number;
    breaks: Breaks;
    asked: number;
    onAsked: () => Promise<void>;
  };
  readonly moderation: {
    verdict: VerdictReply['verdict'];
    breaks: Breaks;
    asked: number;
    onAsked: () => Promise<void>;
  };
  readonly billing: {
    balanceMinor: bigint;
    /** By offer id; what billing knows of it. */
    readonly sales: Map<number, Sale>;
    breaks: Breaks;
    closing: 'works' | 'unknown';
    tooSmall: boolean;
    tooLarge: boolean;
    /** By the time of every charge the balance has gone. */
    spent: boolean;
    /** As many charges of the balance wait as may: the next ones are told 429. */
    crowded: boolean;
    /** Runs when a charge or checkout arrives, before it is answered. */
    onSale: (offerId: number) => Promise<void>;
    /** Runs when a page is to be closed, before that is done. */
    onClose: () => Promise<void>;
    /** Runs when it is done, before the answer leaves. */
    onSold: (offerId: number) => Promise<void>;
    pay: (offerId: number) => void;
    readonly charges: () => number;
  };
  /** Runs at both moments of every call; throwing ends the call there, without an answer of use. */
  onCall: (call: Call) => Promise<void>;
  /** Answers of these calls are spoilt. */
  spoilt: Partial<Record<CallName, Spoiling>>;
  readonly reset: () => void;
};

const vatMinor = 200n;

export async function startFakeServices(clock: Clock): Promise<FakeServices> {
  const serve = (service: ServiceName, routes: (app: Express) => void) => startServer(service, clock, routes);
  const pricing: FakeServices['pricing'] = {
    costMinor: 10_00n,
    matchingUsers: 50,
    breaks: noBreaks(),
    asked: 0,
    onAsked: async () => {},
  };
  const moderation: FakeServices['moderation'] = {
    verdict: 'allowed',
    breaks: noBreaks(),
    asked: 0,
    onAsked: async () => {},
  };
  const calls: Pick<FakeServices, 'onCall' | 'spoilt'> = { onCall: async () => {}, spoilt: {} };
  const { reply } = replies(calls);
  const sales = new Map<number, Sale>();
  const billing: FakeServices['billing'] = {
    balanceMinor: 1_000_00n,
    sales,
    breaks: noBreaks(),
    closing: 'works',
    tooSmall: false,
    tooLarge: false,
    spent: false,
    crowded: false,
    onSale: async () => {},
    onSold: async () => {},
    onClose: async () => {},
    pay: (offerId) => {
      const sale = sales.get(offerId);
      if (sale?.state !== 'open') throw new Error(`offer ${offerId} has no open page`);
      sale.state = 'paid';
    },
    charges: () => [...sales.values()].filter((sale) => sale.state === 'charged').length,
  };

  const pricingServer = await serve('pricing', (app) => {
    app.post('/internal/price', async (req, res) => {
      priceRequest.parse(req.body);
      pricing.asked += 1;
      await pricing.onAsked();
      await reply('price', req, res, pricing.breaks, () => ({
        matchingUsers: pricing.matchingUsers,
        adUnitsHundredths: '5000',
        money:
          pricing.costMinor === null
            ? null
            : {
                costMinor: pricing.costMinor.toString(),
                adUnitPriceE8: '100000',
                exchangeRatePerGbpE6: '1000000',
                exchangeRateDate: null,
              },
      }));
    });
  });
  const moderationServer = await serve('moderation', (app) => {
    app.post('/internal/verdicts', express.raw({ limit: '6mb' }), async (req, res) => {
      moderation.asked += 1;
      await moderation.onAsked();
      const contentHash = 'test';
      await reply('verdict', req, res, moderation.breaks, (): VerdictReply => {
        switch (moderation.verdict) {
          case 'allowed':
            return {
              verdict: 'allowed',
              contentHash,
              contentType: 'image/jpeg',
              imageBase64: (req.body as Buffer).toString('base64'),
            };
          case 'refused':
            return { verdict: 'refused', contentHash, reason: 'the picture looks explicit' };
          case 'unreadable':
            return { verdict: 'unreadable', problem: 'image is damaged or incomplete' };
        }
      });
    });
  });
  const billingServer = await serve('billing', (app) => {
    app.get('/internal/balance', async (req, res) => {
      const { mode, currency } = callerOf(req);
      await reply('balance', req, res, noBreaks(), () => ({
        mode,
        currency,
        balanceMinor: billing.balanceMinor.toString(),
      }));
    });
    app.post('/internal/charges', async (req, res) => {
      const { offerId, netMinor } = chargeRequest.parse(req.body);
      await billing.onSale(offerId);
      if (billing.crowded) return void res.status(429).json({ message: 'Too many requests' });
      await reply('charge', req, res, billing.breaks, async () => {
        const answer = charge(billing, offerId, BigInt(netMinor));
        await billing.onSold(offerId);
        return answer;
      });
    });
    app.post('/internal/checkouts', async (req, res) => {
      const { offerId, netMinor } = checkoutRequest.parse(req.body);
      await billing.onSale(offerId);
      await reply('checkout', req, res, billing.breaks, async () => {
        const answer = openCheckout(billing, offerId, BigInt(netMinor));
        await billing.onSold(offerId);
        return answer;
      });
    });
    app.post('/internal/offers/:offerId/close-checkout', async (req, res) => {
      await billing.onClose();
      await reply('close', req, res, billing.breaks, () =>
        closeFor(billing, Number(req.params.offerId), closeCheckoutRequest.parse(req.body).deletion),
      );
    });
    app.post('/internal/offers/:offerId/keep-checkout', async (req, res) => {
      await reply('keep', req, res, billing.breaks, () =>
        keep(billing, Number(req.params.offerId), keepCheckoutRequest.parse(req.body).deletion),
      );
    });
    app.post('/internal/offers/:offerId/credit-preview', async (req, res) => {
      const unused = creditPreviewRequest.parse(req.body);
      const netMinor = billing.sales.get(Number(req.params.offerId))?.netMinor ?? 0n;
      await reply('preview', req, res, billing.breaks, () => ({
        creditMinor: creditTarget(netMinor, unused).toString(),
      }));
    });
    app.post('/internal/offers/:offerId/settle', async (req, res) => {
      await reply('settle', req, res, billing.breaks, () => settle(billing, Number(req.params.offerId)));
    });
  });

  return Object.assign(calls, {
    urls: { pricing: pricingServer.url, billing: billingServer.url, moderation: moderationServer.url },
    pricing,
    moderation,
    billing,
    reset: () => {
      const onAsked = async () => {};
      Object.assign(pricing, { costMinor: 10_00n, matchingUsers: 50, breaks: noBreaks(), asked: 0, onAsked });
      Object.assign(moderation, { verdict: 'allowed', breaks: noBreaks(), asked: 0, onAsked });
      const usual = {
        balanceMinor: 1_000_00n,
        breaks: noBreaks(),
        closing: 'works',
        tooSmall: false,
        tooLarge: false,
        spent: false,
        crowded: false,
      };
      Object.assign(billing, { ...usual, onSale: onAsked, onSold: onAsked, onClose: onAsked });
      Object.assign(calls, { onCall: onAsked, spoilt: {} });
      sales.clear();
    },
    [Symbol.asyncDispose]: async () => {
      const servers = [pricingServer, billingServer, moderationServer];
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    },
  });
}

function charge(billing: FakeServices['billing'], offerId: number, netMinor: bigint): ChargeReply {
  const known = billing.sales.get(offerId);
  const balanceMinor = () => billing.balanceMinor.toString();
  if (known?.state === 'closed')
    return { outcome: 'refused', reason: 'closed', balanceMinor: balanceMinor() };
  if (known !== undefined) return { outcome: 'charged', chargedAt: known.at, balanceMinor: balanceMinor() };
  if (billing.spent || billing.balanceMinor < netMinor) {
    return { outcome: 'refused', reason: 'balance-too-low', balanceMinor: balanceMinor() };
  }
  billing.balanceMinor -= netMinor;
  const at = new Date().toISOString();
  billing.sales.set(offerId, { state: 'charged', netMinor, at, url: null });
  return { outcome: 'charged', chargedAt: at, balanceMinor: balanceMinor() };
}

function openCheckout(billing: FakeServices['billing'], offerId: number, netMinor: bigint): CheckoutReply {
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

function close(billing: FakeServices['billing'], offerId: number): CloseCheckoutReply {
  if (billing.closing === 'unknown') return { outcome: 'unknown' };
  const known = billing.sales.get(offerId);
  if (known?.state === 'paid' || known?.state === 'charged') return { outcome: 'paid' };
  const closed = known ?? { netMinor: 0n, at: new Date().toISOString(), url: null };
  billing.sales.set(offerId, { ...closed, state: 'closed' });
  return { outcome: 'closed' };
}

function closeFor(billing: FakeServices['billing'], offerId: number, deletion: number): CloseCheckoutReply {
  const latest = billing.sales.get(offerId)?.deletion ?? { number: 0, takenBack: false };
  if (latest.takenBack && deletion <= latest.number) return { outcome: 'unknown' };
  const answer = close(billing, offerId);
  const sale = billing.sales.get(offerId);
  if (sale !== undefined && deletion > latest.number) sale.deletion = { number: deletion, takenBack: false };
  return answer;
}

function keep(billing: FakeServices['billing'], offerId: number, deletion: number): KeepCheckoutReply {
  const sale = billing.sales.get(offerId)!;
  if (deletion >= (sale.deletion?.number ?? 0)) {
    if (sale.state === 'closed') sale.state = 'open';
    sale.deletion = { number: deletion, takenBack: true };
  }
  return { outcome: sale.state === 'charged' ? 'paid' : sale.state };
}

function settle(billing: FakeServices['billing'], offerId: number): SettleReply {
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

function noBreaks(): Breaks {
  return { beforeWork: 0, afterWork: 0 };
}

function replies(calls: Pick<FakeServices, 'onCall' | 'spoilt'>) {
  async function reply(
    name: CallName,
    req: Request,
    res: Response,
    breaks: Breaks,
    work: () => object | Promise<object>,
  ): Promise<void> {
    const call = { name, path: req.path, requestId: requestFacts(req).requestId };
    await calls.onCall({ ...call, when: 'asked' });
    if (breaks.beforeWork > 0) {
      breaks.beforeWork -= 1;
      return void req.socket.destroy();
    }
    const body = await work();
    await calls.onCall({ ...call, when: 'done' });
    if (breaks.afterWork > 0) {
      breaks.afterWork -= 1;
      return void req.socket.destroy();
    }
    const spoiling = calls.spoilt[name];
    if (spoiling === undefined) res.json(body);
    else spoil(res, spoiling, JSON.stringify(body));
  }
  return { reply };
}

function spoil(res: Response, how: Spoiling, answer: string): void {
  const half = answer.slice(0, answer.length / 2);
  switch (how) {
    case 'html':
      return void res.type('html').send('<h1>It works!</h1>');
    case 'wrong shape':
      return void res.json({ outcome: 'as usual', verdict: 1 });
    case 'half of it':
      return void res.type('json').send(half);
    case 'connection cut in it':
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      return void res.write(half, () => res.destroy());
    case 'status 500':
      return void res.status(500).type('json').send(answer);
  }
}

function startServer(
  service: ServiceName,
  clock: Clock,
  routes: (app: Express) => void,
): Promise<HttpServer> {
  return startHttpServer({
    host: '127.0.0.1',
    port: 0,
    logger: silentLogger,
    metrics: createMetrics(service),
    clock,
    readiness: async () => [],
    routes: (app) => {
      app.use(requireCaller({ secret: testContextSecret, audience: service, clock }));
      app.use(express.json());
      routes(app);
    },
  });
}
