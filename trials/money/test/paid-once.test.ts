/** However often the card provider reports a payment, the offer goes live once, and its admin gets one mail. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { allEvents } from '@offer-ads/contracts/events/events';
import { OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import { connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { type MailSink, startMailSink } from '@offer-ads/simulators/mail/server';
import { signatureHeader } from '@offer-ads/simulators/stripe/webhooks';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { allMails } from '@offer-ads/testing/all-mails';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { type Chance, chance } from '@offer-ads/testing/random';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import { startNotifier } from '../../../services/notifier/src/service.ts';
import { readEvents, readProviderEvents, readSales } from '../facts.ts';
import { createOffer, paymentSession } from '../one-offer.ts';
import { startWorld, stripeKeys, type World } from '../world.ts';

const PAYMENTS = runs(20, 1_000);
const MAX_COPIES = 20;
const ORGANISATION = { organisationId: 5, quota: { perPerson: PAYMENTS, perOrganisation: PAYMENTS } };
const ADMIN = 'ann@cafe.example';
/** The simulator makes as many deliveries at a time. */
const LANES = 16;

const resources = new AsyncDisposableStack();
let world: World;
let mails: MailSink;
beforeAll(async () => {
  world = resources.use(await startWorld());
  mails = resources.use(await startMailSink());
  const mongo = resources.adopt(await createTestMongo(), (it) => it.dispose());
  const { url, namespace: brokerNamespace } = world.broker;
  const notifier = resources.use(
    await startWhenStoresServe(() =>
      startNotifier(
        {
          HOST: '127.0.0.1',
          PORT: 0,
          ADMIN_PORT: 0,
          LOG_LEVEL: 'silent',
          ADMIN_TOKEN_HASHES: adminTokenHashes,
          AUDIT_RETENTION_DAYS: 730,
          MONGO_URL: mongo.url,
          RABBITMQ_URL: url,
          SMTP_URL: mails.smtpUrl,
          SMTP_CONNECTIONS: 5,
          MAIL_FROM: 'Offers <offers@ads.example>',
          PORTAL_URL: 'https://ads.example/portal',
          NOTIFIER_CONTEXT_SECRET: testContextSecret,
          UNSUBSCRIBE_SECRET: 'an-unsubscribe-secret-that-only-tests-use-01234',
          WEBHOOK_SEAL_SECRET: 'a-seal-secret-that-only-tests-ever-use-0123456',
          WEBHOOK_TEST_TARGETS: 'public',
        },
        { clock: world.clock, logger: silentLogger, brokerNamespace },
      ),
    ),
  );
  await register();
  await wantMailsOfTestMode(notifier.url);
});
afterAll(() => resources.disposeAsync());

/** Publishes the gateway's event about an organisation with one admin, who gets its mails. */
async function register(): Promise<void> {
  await using broker = await connectBroker({
    url: world.broker.url,
    service: 'gateway',
    declarations: allEvents,
    logger: silentLogger,
    metrics: createMetrics('test'),
    namespace: world.broker.namespace,
  });
  const { organisationId } = ORGANISATION;
  const data = {
    organisationId,
    name: 'Corner Cafe Ltd',
    tradingName: 'Corner Cafe',
    country: 'GB',
    currency: 'GBP',
    enabled: true,
    people: [{ personId: 1, email: ADMIN, role: 'admin' as const, enabled: true }],
  };
  const subject = `organisation/${organisationId}`;
  await broker.publish([
    newEvent(OrganisationRegistered, { subject, subjectVersion: 1, at: world.clock.now(), data }),
  ]);
}

/** The offers are of TEST mode, whose mails nobody gets by default. */
async function wantMailsOfTestMode(notifierUrl: string): Promise<void> {
  const answer = await patiently(() =>
    fetch(`${notifierUrl}/internal/mail-preferences`, {
      method: 'PUT',
      headers: { ...signedCaller({ audience: 'notifier' }), 'content-type': 'application/json' },
      body: JSON.stringify(allMails),
    }),
  );
  expect(answer.status).toBe(200);
}

/** Events that a busy machine could not handle in time are tried again now, and not after a minute. */
function retryNow(): Promise<void> {
  return world.broker.retryNow('offers', 'billing', 'notifier');
}

function shuffled<T>(all: readonly T[], luck: Chance): T[] {
  const drawn = [...all];
  for (let last = drawn.length - 1; last > 0; last -= 1) {
    const other = luck.below(last + 1);
    [drawn[last], drawn[other]] = [drawn[other] as T, drawn[last] as T];
  }
  return drawn;
}

/** As the card provider delivers: signed, and again until it is accepted. */
async function deliver(body: string): Promise<void> {
  const signature = signatureHeader(body, stripeKeys.TEST.webhookSecret, world.clock.now());
  await eventually(async () => {
    const url = `${world.billing.running().url}/webhooks/stripe`;
    const answer = await fetch(url, { method: 'POST', headers: { 'stripe-signature': signature }, body });
    await answer.body?.cancel();
    expect(answer.status).toBe(200);
  });
}

async function inLanes<T>(work: readonly T[], count: number, handle: (one: T) => Promise<void>) {
  const left = [...work].values();
  const lane = async () => {
    for (const one of left) await handle(one);
  };
  await Promise.all(Array.from({ length: count }, lane));
}

type Mail = { readonly to: string; readonly subject: string };

/** The number of mails with each subject. */
async function mailed(): Promise<Map<string, number>> {
  const all = (await (await fetch(`${mails.url}/api/messages`)).json()) as Mail[];
  const counts = new Map<string, number>();
  for (const { subject } of all) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  return counts;
}

it(
  `${PAYMENTS} webhooks at 1 to ${MAX_COPIES} copies each, shuffled: one activation and one mail each`,
  async () => {
    // The simulator's own deliveries wait, because the test delivers.
    await world.setStripeFaults({ delayMs: 600_000 });
    const offers = new Map<number, string>();
    const numbers = Array.from({ length: PAYMENTS }, (_, index) => index + 1);
    await inLanes(numbers, 4, async (number) => {
      const title = `Number ${number}`;
      const startMs = world.clock.now().getTime();
      const wish = { ...ORGANISATION, title, radius: 7, startMs, durationMs: 3_600_000 } as const;
      const created = await createOffer(world, { ...wish, paymentMethod: 'E' });
      offers.set(created.offer_id, title);
      expect(await world.pay(await paymentSession(world, created))).toBe(true);
      // The broker removes a test's queues after minutes without use.
      if (number % 50 === 0) await retryNow();
    });

    const luck = chance(1);
    const events = readProviderEvents(world);
    expect(events).toHaveLength(PAYMENTS);
    const copies = events.flatMap((event, index) =>
      Array.from({ length: 1 + (index % MAX_COPIES) }, () => JSON.stringify(event, null, 2)),
    );
    await inLanes(shuffled(copies, luck), LANES, deliver);

    const subjects = [...offers.values()].flatMap((title) => [
      `[TEST] Offer paid: “${title}”`,
      `[TEST] Payment link for “${title}”`,
    ]);
    await eventually(
      async () => {
        await retryNow();
        const counts = await mailed();
        expect(subjects.filter((subject) => !counts.has(subject))).toEqual([]);
      },
      { timeoutMs: 120_000 },
    );
    // Offers go live by another event than the mails.
    await eventually(async () => {
      await retryNow();
      const told = await readEvents(world);
      const inactive = [...offers.keys()].filter(
        (id) => !(told.get(id) ?? []).some(({ name }) => name === 'OfferActivated'),
      );
      expect(inactive).toEqual([]);
    });
    // A second event or mail would come now: so wait until nothing is left to send.
    await eventually(async () => {
      await retryNow();
      const [outbox] = await world.stores.offers.query('SELECT FROM outbox LIMIT 1');
      expect(outbox).toBeUndefined();
      for (const service of ['offers', 'notifier'] as const)
        expect(await world.broker.waiting(service)).toBe(0);
    });
    const told = await readEvents(world);
    const sales = await readSales(world);
    for (const id of offers.keys()) {
      const names = (told.get(id) ?? []).map(({ name }) => name);
      expect(names.filter((name) => name === 'OfferPaymentApplied')).toHaveLength(1);
      expect(names.filter((name) => name === 'OfferActivated')).toHaveLength(1);
      const sale = sales.get(id);
      expect(sale).toMatchObject({ state: 'paid', sold_minor: sale?.net_minor });
    }
    expect([...(await mailed()).values()]).toEqual(subjects.map(() => 1));
    const ledger = await (await world.admin('billing', 'GET', '/admin/ledger/check')).json();
    expect(ledger).toMatchObject({ problems: [] });
  },
  runs(300_000, 1_200_000),
);
