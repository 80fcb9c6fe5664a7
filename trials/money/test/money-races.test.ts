/** Many programs of one organisation at once, with the real billing: what the balance affords is sold, and nothing more. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readSales } from '../facts.ts';
import { createOffer } from '../one-offer.ts';
import { priceMinor } from '../stand-ins.ts';
import { startWorld, topUp, type World } from '../world.ts';

const MANY = 64;
const AFFORDED = 10;
const RADIUS = 7;
const DURATION_MS = 3_600_000 + 1;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** The answer's code. */
async function create(organisationId: number): Promise<string> {
  const startMs = world.clock.now().getTime() + 3_600_000;
  const wish = { paymentMethod: 'B', radius: RADIUS, startMs, durationMs: DURATION_MS } as const;
  return (await createOffer(world, { organisationId, ...wish })).return_code;
}

it('64 keys racing for a balance that affords 10 offers give exactly 10, and spend it to the penny', async () => {
  const organisationId = 71;
  const price = priceMinor(DURATION_MS, RADIUS);
  // A penny less than an eleventh offer.
  const amountMinor = price * BigInt(AFFORDED + 1) - 1n;
  await topUp(world, { organisationId, currency: 'GBP', amountMinor, reference: randomUUID() });
  const codes = await Promise.all(Array.from({ length: MANY }, () => create(organisationId)));
  const count = (code: string) => codes.filter((given) => given === code).length;
  expect([count('S1'), count('E3')]).toEqual([AFFORDED, MANY - AFFORDED]);

  const rows = await world.stores.offers.query<{ offer_id: number; shown: boolean }>(
    'SELECT offer_id, shown_at IS NOT NULL AS shown FROM offers WHERE organisation_id = $1',
    [organisationId],
  );
  expect(rows.map((row) => row.shown)).toEqual(Array.from({ length: AFFORDED }, () => true));
  const sold = [...(await readSales(world))].filter(([, sale]) => sale.sold_minor > 0n);
  expect(new Set(sold.map(([id]) => id))).toEqual(new Set(rows.map((row) => row.offer_id)));
  expect(sold.map(([, sale]) => sale.sold_minor)).toEqual(Array.from({ length: AFFORDED }, () => price));
  const query = `organisationId=${organisationId}&mode=TEST&currency=GBP`;
  const balance = await (await world.admin('billing', 'GET', `/admin/balances?${query}`)).json();
  expect(balance).toMatchObject({ balanceMinor: `${price - 1n}` });
  const ledger = await (await world.admin('billing', 'GET', '/admin/ledger/check')).json();
  expect(ledger).toMatchObject({ problems: [] });
});
