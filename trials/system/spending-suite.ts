/** The spending limit of a key, by creations at once over two replicas of each service that takes part in a purchase. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import {
  type AnyBody,
  advertiser,
  hourMs,
  inFuture,
  newOrganisation,
  offerForm,
  type Reply,
} from '../harness/advertiser.ts';
import type { Replica } from '../harness/replicas.ts';
import { query } from '../harness/sql.ts';
import type { TestSystem } from '../harness/test-system.ts';

const attempts = runs(200, 1_000);
const affordable = 42;
/** Of more, a busy machine answers most with 503 until clients give up. */
const atOnce = 50;

export function describeSpending(system: () => TestSystem): void {
  describe('the spending limit of a key', () => {
    const services = ['gateway', 'offers', 'billing'] as const;
    let added: readonly Replica[] = [];
    beforeAll(async () => {
      added = await Promise.all(services.map((service) => system().replicas.add(service)));
    });
    afterAll(async () => void (await Promise.all(added.map(system().replicas.retire))));

    it(`is exact for ${attempts} creations at once over two replicas, from the balance and by payment links`, async () => {
      // Outside of the UK a payment link has no VAT: each offer costs the same by both methods.
      const { id, key: first } = await newOrganisation(system(), { country: 'IE' });
      const org = `--org=${id}`;
      await system().admin('org', 'quota', org, '--mode=test', '--per-org=2000', '--per-person=2000');
      const times = { start_datetime: inFuture(24 * hourMs), expiry_datetime: inFuture(25 * hourMs) };
      const { offer_id } = (await advertiser(system(), first).create(await offerForm(times))).body;
      const costMinor = 100_000 - minor(await system().balance(id));
      const restMinor = costMinor - 1;
      const limitMinor = affordable * costMinor + restMinor;
      const { id: keyId, key } = await system().admin<{ id: number; key: string }>(
        'key',
        'create',
        org,
        '--mode=test',
        `--spend-per-day=${limitMinor}`,
      );
      const caller = advertiser(system(), key);
      const create = async (payment_method: string) => {
        const content = { ...times, image: undefined, image_offer_id: `${offer_id}`, payment_method };
        const [form, idempotencyKey] = [await offerForm(content), randomUUID()];
        const ask = async () => {
          const reply = await caller.create(form, idempotencyKey);
          // After a 503 the request before this one may go on.
          if (reply.status === 409) throw new Error(reply.body.message);
          return reply;
        };
        return eventually(ask, { timeoutMs: 120_000 });
      };
      const methods = Array.from({ length: attempts }, (_, index) => (index % 5 === 0 ? 'E' : 'B')).values();
      const replies: Reply[] = [];
      const buyAll = async () => {
        for (const method of methods) replies.push(await create(method));
      };
      await Promise.all(Array.from({ length: atOnce }, buyAll));
      const [bought, refused] = [true, false].map((isBought) =>
        replies.filter(({ body }) => (body.return_code === 'S1') === isBought),
      ) as [Reply[], Reply[]];
      const refusal = {
        status: 403,
        body: {
          return_code: 'E1',
          message: `The cost is ${pounds(costMinor)}, and of the spending limit of ${pounds(limitMinor)} a day (UTC) of this API key ${pounds(restMinor)} is left`,
        },
      };
      for (const reply of refused) expect(reply).toMatchObject(refusal);
      expect(bought).toHaveLength(affordable);

      const links = bought.map(({ body }) => body).filter(({ payment_url: url }) => url !== null);
      const fromBalance = 1 + bought.length - links.length;
      expect(minor(await system().balance(id))).toBe(100_000 - fromBalance * costMinor);
      const ids = [offer_id, ...bought.map(({ body }) => body.offer_id)].toSorted((a, b) => a - b);
      const { databases } = system().stores;
      const created = await query<{ ids: number[]; net: number }>(
        databases.offers,
        `SELECT array_agg(offer_id::float8 ORDER BY offer_id) AS ids, sum(net_minor)::float8 AS net FROM offers WHERE organisation_id = $1`,
        [id],
      );
      expect(created).toEqual([{ ids, net: ids.length * costMinor }]);
      const ordered = await query<object>(
        databases.billing,
        `SELECT payment_method AS method, count(*)::int AS orders, sum(net_minor + vat_minor)::float8 AS total
           FROM payments WHERE spender = $1 AND state <> 'closed' GROUP BY payment_method ORDER BY 1`,
        [`key/${keyId}`],
      );
      expect(ordered).toEqual([
        { method: 'B', orders: fromBalance - 1, total: (fromBalance - 1) * costMinor },
        { method: 'E', orders: links.length, total: links.length * costMinor },
      ]);
      const ledger = await system().callAdmin<{ problems: string[] }>(
        'BILLING',
        'GET',
        '/admin/ledger/check',
      );
      expect(ledger.problems).toEqual([]);
      for (const replica of services.flatMap((service) => system().replicas.of(service)))
        expect({ replica, posts: await postsTo(replica) }).toEqual({ replica, posts: expect.any(Number) });

      // An unpaid link that is deleted makes room for one more, once billing has heard of it.
      const [link] = links as [AnyBody];
      expect((await caller.request('DELETE', `/offers/${link.offer_id}`)).body.return_code).toBe('S1');
      await eventually(async () => expect((await create('E')).body.return_code).toBe('S1'));
      expect(await create('B')).toMatchObject(refusal);
    }, 600_000);
  });
}

/** Requests by POST that the replica has answered. @throws if there are none */
async function postsTo({ name, adminPort }: Replica): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const counts = [...text.matchAll(/^http_request_duration_seconds_count\{.*method="POST".*\} (\d+)$/gm)];
  const posts = counts.reduce((sum, [, count]) => sum + Number(count), 0);
  if (posts === 0) throw new Error(`${name} has answered no request`);
  return posts;
}

function minor(amount: string): number {
  return Math.round(Number(amount) * 100);
}

function pounds(amountMinor: number): string {
  return `${formatMinor(BigInt(amountMinor), 'GBP')} GBP`;
}
