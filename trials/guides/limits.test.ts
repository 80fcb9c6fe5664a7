/** The numbers of the guide of limits are those of the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  billedCurrencies,
  cardMaximumMinor,
  cardMinimumMinor,
  formatMinor,
} from '@offer-ads/contracts/values/currencies';
import { MAX_CHARACTERS_OF_SHOWN_NAME } from '@offer-ads/contracts/values/shown-name';
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';
import { VAT_PERCENT } from '../../services/billing/src/domain/invoices/vat.ts';
import { defaultQuota } from '../../services/gateway/src/domain/accounts/organisation.ts';
import { maxKeysInForce } from '../../services/gateway/src/domain/keys/key-state.ts';
import { endpoints } from '../../services/gateway/src/http/endpoints.ts';
import { GREATEST_PICTURE_PIXELS } from '../../services/offers/src/domain/creation/offer-form.ts';
import { readRadius } from '../../services/offers/src/domain/offer-targeting.ts';

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

const form = 'services/offers/src/domain/creation/offer-form.ts';
const budgetOf = (method: string, path: string) =>
  (endpoints.find((each) => each.method === method && each.path === path)?.budgetMs ?? 0) / 1_000;
const radii = Array.from({ length: 100 }, (_, miles) => miles).filter(
  (miles) => readRadius(new Map([['radius', [String(miles)]]])).ok,
);

describe('the guide of limits', () => {
  it.each<[string, number[]]>([
    [
      'Requests per minute from one address, over all endpoints',
      [constant('services/gateway/src/http/proxy/rate-limit.ts', /requests: (\d+), windowSeconds: 60/)],
    ],
    ['An `Idempotency-Key`', [constant('packages/contracts/src/values/idempotency-key.ts', /\{1,(\d+)\}/)]],
    ['`title`', [constant(form, /'title', \{ atMost: (\d+)/)]],
    ['`description`', [constant(form, /'description', \{ atMost: (\d+)/)]],
    ['`terms_and_conditions`', [constant(form, /'terms_and_conditions', \{ atMost: (\d+)/)]],
    ['`advertised_name`', [MAX_CHARACTERS_OF_SHOWN_NAME]],
    [
      '`url`',
      [constant('services/offers/src/domain/creation/offer-texts.ts', /GREATEST_URL_LENGTH = ([\d_]+)/)],
    ],
    ['`radius`', [radii[0] ?? 0, radii.at(-1) ?? 0]],
    ['Duration', [constant(form, /SHORTEST_DURATION_MS = ([\d_]+)/) / 1_000]],
    [
      'Start',
      [constant('services/offers/src/creation/check-creation.ts', /START_GRACE_MS = ([\d_]+)/) / 1_000],
    ],
    ['Size', [constant('services/offers/src/http/multipart.ts', /GREATEST_PICTURE_BYTES = ([\d_ *]+);/), 5]],
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
    [
      'Page of `GET /offers`',
      [constant('services/offers/src/domain/listing-query.ts', /DEFAULT_LIMIT = (\d+)/)],
    ],
    ['`limit`', [1, constant('services/offers/src/domain/listing-query.ts', /GREATEST_LIMIT = (\d+)/)]],
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
    ['Keys in force in each mode', [maxKeysInForce]],
    ['The call log', [constant('services/gateway/src/domain/call-days.ts', /keptDays = (\d+)/)]],
  ])('%s', (row, numbers) => {
    expect(told(row)).toEqual(numbers);
  });

  it('has the frames and sides that moderation names', () => {
    const messages = read('services/moderation/src/verdicts/verdict-replies.ts');
    expect(messages).toContain(`at most ${told('Frames')[0]?.toLocaleString('en')} frames`);
    expect(messages).toContain(`at most ${told('Width and height')[0]?.toLocaleString('en')} pixels`);
  });

  it('has every number in a row that is compared here', () => {
    const rows = guide.split('\n').filter((line) => /^\| [^|]+\|[^|]*\d/.test(line));
    expect(rows).toHaveLength(33);
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
    expect(estimates.length).toBeGreaterThan(2);
    for (const { ad_units, price_estimate, matching_users, estimated_cost } of estimates) {
      expect([price_estimate, ad_units]).toEqual([ad_units, matching_users * 48]);
      expect(estimated_cost).toBe(Math.round(ad_units / 10) / 100);
    }
  });
});
