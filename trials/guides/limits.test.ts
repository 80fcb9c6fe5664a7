/** The numbers of the guide of limits are those of the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  billedCurrencies,
  cardMaximumMinor,
  cardMinimumMinor,
  formatMinor,
} from '@offer-ads/contracts/values/currencies';
import { MAX_IMAGE_BYTES, offerLimits, pageLimits } from '@offer-ads/contracts/values/offer-limits';
import { offerTexts } from '@offer-ads/contracts/values/offer-texts';
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';
import { VAT_PERCENT } from '../../services/billing/src/domain/invoices/vat.ts';
import { defaultQuota } from '../../services/gateway/src/domain/accounts/organisation.ts';
import { maxKeysInForce } from '../../services/gateway/src/domain/keys/key-state.ts';
import { endpoints } from '../../services/gateway/src/public-api/endpoints.ts';
import { GREATEST_PICTURE_PIXELS } from '../../services/offers/src/domain/creation/offer-form.ts';

const repository = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const guide = read('docs/guides/limits.md');

/** The numbers in the second cell of a row. */
function told(row: string): number[] {
  const line = guide.split('\n').find((each) => each.startsWith(`| ${row} |`));
  if (line === undefined) throw new Error(`the guide has no row "${row}"`);
  const cell = line.split('|')[2] ?? '';
  return [...cell.replaceAll(',', '').matchAll(/\d+(\.\d+)?/g)].map(([figure]) => Number(figure));
}

/** A constant that is not exported: a product of whole numbers. */
function constant(file: string, pattern: RegExp): number {
  const [, product] = pattern.exec(read(file)) ?? [];
  if (product === undefined) throw new Error(`${file} has no ${pattern}`);
  return product
    .split('*')
    .map((factor) => Number(factor.replaceAll('_', '')))
    .reduce((a, b) => a * b);
}

const budgetOf = (method: string, path: string) =>
  (endpoints.find((each) => each.method === method && each.path === path)?.budgetMs ?? 0) / 1_000;

describe('the guide of limits', () => {
  it.each<[string, number[]]>([
    [
      'Requests per minute from one address, over all endpoints',
      [constant('services/gateway/src/public-api/rate-limit.ts', /requests: (\d+), windowSeconds: 60/)],
    ],
    [
      '[Messages of assistants](assistants.md) per minute of a key',
      [constant('services/gateway/src/public-api/assistants.ts', /requests: (\d+), windowSeconds: 60/)],
    ],
    ['An `Idempotency-Key`', [constant('packages/contracts/src/values/idempotency-key.ts', /\{1,(\d+)\}/)]],
    ...Object.values(offerTexts).map(({ field, atMost }): [string, number[]] => [`\`${field}\``, [atMost]]),
    ['`url`', [offerLimits.url]],
    ['`radius`', [offerLimits.radius.least, offerLimits.radius.most]],
    ['Duration', [offerLimits.shortestSeconds]],
    ['Start', [offerLimits.startGraceSeconds]],
    ['Size', [MAX_IMAGE_BYTES, offerLimits.imageMegabytes]],
    ['Pixels, over all frames', [GREATEST_PICTURE_PIXELS / 1_000_000]],
    [
      'Scans of a progressive JPEG',
      [constant('services/moderation/src/domain/picture-limits.ts', /maxScans = (\d+)/)],
    ],
    ['Offers of a person at a time, in each mode', [defaultQuota.perPerson]],
    ['Offers of an organisation at a time, in each mode', [defaultQuota.perOrganisation]],
    [
      'LIVE offers of an organisation in a day whose cost rounds to 0.00',
      [constant('services/offers/src/config.ts', /FREE_LIVE_OFFERS_PER_DAY: freeOffers\.default\((\d+)\)/)],
    ],
    ['Page of `GET /offers`', [pageLimits.standard]],
    ['`limit`', [1, pageLimits.most]],
    [
      'An image address from a listing',
      [constant('services/offers/src/images/addresses.ts', /LISTED_HOURS = (\d+)/)],
    ],
    ['Webhooks of an organisation, in each mode', [webhookLimits.endpoints]],
    ['Messages that one call of resend sends again', [webhookLimits.resentAtOnce]],
    ['An old secret also signs after a roll', [webhookLimits.overlapHours]],
    ['Creating an offer', [budgetOf('post', '/offers')]],
    ['Deleting one', [budgetOf('delete', '/offers/:offer_id')]],
    ['Everything else', [budgetOf('get', '/offers')]],
    [
      'An upload that stands still',
      [constant('packages/platform/src/http/server.ts', /defaultStallMs = ([\d_]+)/) / 1_000],
    ],
    [
      'An upload as a whole',
      [constant('packages/platform/src/http/server.ts', /defaultUploadMs = ([\d_]+)/) / 1_000],
    ],
    ['VAT on card payments of organisations in the UK', [VAT_PERCENT]],
    [
      'A card payment, VAT included',
      [Number(cardMaximumMinor('GBP')) / 100, Number(cardMaximumMinor('IDR')) / 100],
    ],
    ['Active keys in each mode', [maxKeysInForce]],
    [
      'An `Idempotency-Key` of an edit',
      [constant('services/offers/src/pruning.ts', /idempotency_keys: (\d+)/)],
    ],
    ['The call log', [constant('services/gateway/src/domain/call-days.ts', /keptDays = (\d+)/)]],
  ])('%s', (row, numbers) => {
    expect(told(row)).toEqual(numbers);
  });

  it('has the frames and sides that moderation names', () => {
    const messages = read('services/moderation/src/verdicts/judge-picture.ts');
    expect(messages).toContain(`at most ${told('Frames')[0]?.toLocaleString('en')} frames`);
    expect(messages).toContain(`at most ${told('Width and height')[0]?.toLocaleString('en')} pixels`);
  });

  it('has every number in a row that is compared here', () => {
    const rows = guide.split('\n').filter((line) => /^\| [^|]+\|[^|]*\d/.test(line));
    expect(rows).toHaveLength(31 + Object.keys(offerTexts).length);
  });
});

describe('a limit of an offer', () => {
  const { url, radius, imageMegabytes, shortestSeconds } = offerLimits;
  const lengths: readonly number[] = Object.values(offerTexts).map(({ atMost }) => atMost);
  /** The texts of the SDK cannot be made from the contracts, because advertisers install it without them. */
  const sdkTexts = ['types.ts', 'cli/commands.ts'].map((file) => read(`packages/sdk/src/${file}`)).join('\n');

  it('is the one that the SDK names', () => {
    const characters = [...sdkTexts.matchAll(/[Uu]p to (\d+) characters/g)].map(([, n]) => Number(n));
    expect(characters.filter((n) => !lengths.includes(n))).toEqual([]);
    expect(characters).toEqual(
      expect.arrayContaining([offerTexts.title.atMost, offerTexts.description.atMost]),
    );
    const megabytes = [...sdkTexts.matchAll(/at most (\d+) MB/g)].map(([, n]) => Number(n));
    expect(new Set(megabytes)).toEqual(new Set([imageMegabytes]));
    const miles = [...sdkTexts.matchAll(/(?:Miles, |help: ')(\d+) to (\d+)/g)].map(([, ...ends]) => ends);
    expect(new Set(miles.map(String))).toEqual(new Set([`${radius.least},${radius.most}`]));
    expect(sdkTexts).toContain(`At least ${shortestSeconds} seconds after the start.`);
  });

  it('is the one that the guides name in the messages of errors', () => {
    const errors = read('docs/guides/errors.md');
    const title = offerTexts.title.atMost;
    expect(errors).toContain(`title must have at most ${title} characters, it has ${title + 1}`);
    expect(errors).toContain(`url must have at most ${url} characters, it has ${url + 1}`);
    expect(errors).toContain(`miles from ${radius.least} to ${radius.most}`);
    expect(errors).toContain(`image must have at most ${imageMegabytes} MB`);
  });

  it('is written in no other file of the sources', () => {
    const texts = [...lengths, url, '2,048'].join('|');
    const written = new RegExp(
      `(at most|up to) (${texts}) characters|atMost: \\d|\\.max\\((${lengths.join('|')}|${url})\\)|\\b${imageMegabytes} MB\\b|\\b${radius.least} to ${radius.most}\\b`,
    );
    const sources = ['services/offers/src', 'services/moderation/src', 'services/pricing/src'].concat([
      'packages/contracts/src/public',
      'packages/contracts/src/portal',
      'web/portal/src/pages/offers',
    ]);
    const files = sources.flatMap((folder) =>
      readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && !/\.test\./.test(file))
        .map((file) => `${folder}/${file}`),
    );
    expect(files.length).toBeGreaterThan(200);
    const found = files.flatMap((file) =>
      read(file)
        .split('\n')
        .filter((line) => written.test(line) && !/^ *(\/\*\*|\*)/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });
});

describe('the guide of prices', () => {
  const prices = read('docs/guides/prices-and-currencies.md');

  it('lists each billed currency with its smallest card payment', () => {
    const listed = [...prices.matchAll(/\| ([A-Z]{3}) \| (\d+\.\d\d) /g)].map(
      ([, code, amount]) => `${code} ${amount}`,
    );
    const billed = billedCurrencies.map(
      (code) => `${code} ${formatMinor(cardMinimumMinor(code) ?? 0n, code)}`,
    );
    expect(listed.toSorted()).toEqual(billed.toSorted());
  });

  it('shows estimates whose figures agree with each other', () => {
    const replies = [...prices.matchAll(/^```json\n([^]*?)^```/gm)].map(([, json = '']) => JSON.parse(json));
    const estimates = replies.filter((reply) => 'ad_units' in reply);
    expect(estimates).toHaveLength(2);
    for (const { ad_units, price_estimate, matching_users, estimated_cost } of estimates) {
      expect([price_estimate, ad_units]).toEqual([ad_units, matching_users * 48]);
      expect(estimated_cost).toBe(Math.round(ad_units / 10) / 100);
    }
  });
});
