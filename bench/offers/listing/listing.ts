/** Pages of a long listing through the service, near and far, with every filter. */
import { callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import type { ListReply } from '@offer-ads/contracts/public/api';
import type { Settings } from '@offer-ads/dev/start/plans';
import { addressesOf, planServices } from '@offer-ads/dev/start/plans';
import { signCallerContext } from '@offer-ads/platform/calls/caller-context';
import { Pool } from 'undici';
import { waitUntilIdle, watchForeignLoad } from '../../machine-load.ts';
import type { Stores } from '../../stores.ts';
import { startPlanned } from '../system.ts';
import { createdAt, fillListing, organisationId } from './listing-data.ts';

export const pageSize = 20;

export type ListingPlan = {
  readonly rounds: number;
  readonly offers: number;
  readonly farPage: number;
  readonly askedEach: number;
};

export type Listing = {
  readonly plan: ListingPlan;
  /** Latencies in milliseconds of each question, round by round. */
  readonly pages: ReadonlyMap<string, readonly (readonly number[])[]>;
  readonly foreignLoad: number;
};

export const [first, far] = ['the first page', 'the far page'] as const;

export async function measureListing(
  opened: AsyncDisposableStack,
  o: { stores: Stores; settings: Settings; plan: ListingPlan; report: (line: string) => void },
): Promise<Listing> {
  const { settings, plan, report } = o;
  report(`Writing ${plan.offers} offers of one organisation ...`);
  const databaseUrl = settings.stores.databases.offers;
  await fillListing(databaseUrl, plan.offers);
  const service = planServices(settings).find(({ name }) => name === 'offers');
  if (service === undefined) throw new Error('no plan for offers');
  opened.use(await startPlanned(service, settings));
  const pool = new Pool(addressesOf(settings.ports).offers, { connections: 1 });
  opened.defer(() => pool.close());
  const ask = askingAs(pool, settings);

  const cursor = await cursorOf(plan, databaseUrl, ask);
  const middle = (await ask(`cursor=${cursor}`, 1)).data[0]?.creation_datetime ?? '';
  const questions = new Map([
    [first, ''],
    [far, `cursor=${cursor}`],
    ...['active', 'paused', 'awaiting_payment', 'ended'].map(
      (status) => [`offer_status=${status}`, `offer_status=${status}`] as const,
    ),
    ['offer_status=ended, the far page', `offer_status=ended&cursor=${cursor}`],
    ['offer_status=active, behind the cursor', `offer_status=active&cursor=${cursor}`],
    ['created_before, in the middle', `created_before=${middle}`],
    ['offer_status=paused and created_after, in the middle', `offer_status=paused&created_after=${middle}`],
  ]);

  const pages = new Map<string, number[][]>();
  const foreign = watchForeignLoad();
  // The first round is for V8 and the cache.
  for (let round = 0; round <= plan.rounds; round += 1) {
    await waitUntilIdle();
    const ofPages = await byTurns(questions, plan.askedEach, ask);
    if (round === 0) continue;
    report(`round ${round} of listing done`);
    for (const [name, times] of ofPages) pages.set(name, [...(pages.get(name) ?? []), times]);
  }
  return { plan, pages, foreignLoad: foreign() };
}

type Ask = (query: string, limit?: number) => Promise<ListReply>;

/** The gateway signs a context at most once a second, so one is enough here. */
function askingAs(pool: Pool, settings: Settings): Ask {
  const token = signCallerContext(settings.secrets.offersContext, {
    audience: 'offers',
    validUntil: Date.now() + 3_600_000,
    organisationId,
    mode: 'TEST',
    personId: null,
    mailbox: null,
    network: null,
    keyId: 1,
    currency: 'GBP',
    country: 'GB',
    tradingName: 'Corner Cafe',
    quota: { perPerson: 100, perOrganisation: 500 },
    termsAccepted: true,
    organisationApproved: true,
  });
  return async (query, limit = pageSize) => {
    const reply = await pool.request({
      method: 'GET',
      path: `/offers?environment=test&limit=${limit}&${query}`,
      headers: { [callerContextHeader]: token },
    });
    const text = await reply.body.text();
    if (reply.statusCode !== 200) throw new Error(`${query}: ${reply.statusCode} ${text}`);
    return JSON.parse(text) as ListReply;
  };
}

/** The cursor of the page before it. Offers are a minute apart, so the time of the last one there leads to it. */
async function cursorOf({ farPage }: ListingPlan, databaseUrl: string, ask: Ask): Promise<string> {
  const lastBefore = await createdAt(databaseUrl, (farPage - 1) * pageSize);
  const { pagination } = await ask(`created_before=${lastBefore.toISOString()}`, 1);
  if (pagination.next_cursor === null) throw new Error('the listing ends before the far page');
  return pagination.next_cursor;
}

/** Each query in turn, so that a slow moment of the machine slows all. */
async function byTurns(
  questions: ReadonlyMap<string, string>,
  times: number,
  ask: Ask,
): Promise<Map<string, number[]>> {
  const latencies = new Map<string, number[]>([...questions.keys()].map((name) => [name, []]));
  for (let count = 0; count < times; count += 1) {
    for (const [name, question] of questions) {
      const began = performance.now();
      await ask(question);
      latencies.get(name)?.push(performance.now() - began);
    }
  }
  return latencies;
}
