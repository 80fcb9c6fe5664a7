/** Which pictures are removed, and that no other ever is. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type ImageStore, MARK, newImageName } from '../../src/images/images.ts';
import { retireUnneeded } from '../../src/images/images-store.ts';
import { openImageStore } from '../../src/images/open.ts';
import { storeImage } from '../../src/images/store-image.ts';
import { type Offers, startOffers } from '../../src/service.ts';
import { create, createdId } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let under: OffersUnderTest;
let replica: Offers;
let folder: string;
let images: ImageStore;
beforeAll(async () => {
  under = await startOffersUnderTest();
  replica = await startWhenStoresServe(() =>
    startOffers(under.config, { clock: under.clock, logger: silentLogger }),
  );
  folder = fileURLToPath(under.config.IMAGE_STORE_URL);
  images = await openImageStore(
    { kind: 'folder', folder },
    { logger: silentLogger, metrics: createMetrics('test') },
  );
});
afterAll(async () => {
  await images[Symbol.asyncDispose]();
  await replica[Symbol.asyncDispose]();
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.otherServices.reset();
  under.clock.set('2026-06-01T12:00:00Z');
  for (const table of ['idempotency_keys', 'offers', 'images'])
    await under.postgres.query(`DELETE FROM ${table}`);
  await under.postgres.query("UPDATE image_search SET began_at = '-infinity'");
  for (const name of await kept()) await rm(join(folder, name));
});

/** What lies in the store beside its mark. */
async function kept(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== MARK);
}

async function removeEverywhere(): Promise<void> {
  await Promise.all([under.offers.imageRemoval.remove(), replica.imageRemoval.remove()]);
}

async function later(ms: number): Promise<void> {
  under.clock.advance(ms);
  await removeEverywhere();
}

/** As a creation does that comes no further. */
async function keepOnly(): Promise<string> {
  const picture = await photographLikeJpeg();
  const o = { postgres: under.postgres, images, clock: under.clock };
  return storeImage(o, picture, 'image/jpeg', createDeadline(10_000));
}

/** However often the service tries. */
function takeBillingAway(): void {
  under.otherServices.billing.breaks.beforeWork = Number.POSITIVE_INFINITY;
}

async function deleteOffer(id: number): Promise<void> {
  expect((await under.call('DELETE', `/offers/${id}`)).status).toBe(200);
}

describe('a picture is removed', () => {
  it('an hour after the last creation that brought it was refused', async () => {
    under.otherServices.billing.onSale = async () => {
      under.otherServices.billing.balanceMinor = 0n;
    };
    expect((await create(under)).body).toMatchObject({ return_code: 'E3' });
    expect(await kept()).toHaveLength(1);
    await later(HOUR - 1);
    expect(await kept()).toHaveLength(1);
    await later(1);
    expect(await kept()).toEqual([]);
    expect(await under.postgres.query('SELECT 1 FROM images')).toEqual([]);
  });

  it('when the sweep has dropped its creation', async () => {
    takeBillingAway();
    expect((await create(under, {}, { once: true })).status).toBe(503);
    await later(7 * DAY);
    expect(await kept()).toHaveLength(1);
    under.otherServices.reset();
    // The sweeper's own rounds may just have failed, and a breaker have opened.
    await eventually(async () => {
      await under.offers.sweeper.recover();
      expect(await under.postgres.query('SELECT 1 FROM offers')).toEqual([]);
    });
    await later(7 * DAY);
    expect(await kept()).toEqual([]);
  });

  it('when the process died that had kept it', async () => {
    await keepOnly();
    await later(HOUR);
    expect(await kept()).toEqual([]);
  });

  it('30 days after its last offer was deleted, within a week', async () => {
    const ids = [await createdId(under), await createdId(under)];
    expect(await kept()).toHaveLength(1);
    await deleteOffer(ids[0]!);
    for (let week = 0; week < 10; week += 1) await later(7 * DAY);
    expect(await kept()).toHaveLength(1);
    await deleteOffer(ids[1]!);
    for (let week = 0; week < 4; week += 1) await later(7 * DAY);
    expect(await kept()).toHaveLength(1);
    for (let day = 0; day < 9; day += 1) await later(DAY);
    expect(await kept()).toEqual([]);
  });

  it('by another replica when the one that began has died', async () => {
    await keepOnly();
    // By the clock of the one that dies alone, or another could come before it.
    const inAnHour = new Date(under.clock.now().getTime() + HOUR);
    const { retired } = await retireUnneeded(under.postgres, { now: inAnHour, atMost: 10 });
    expect(retired).toEqual(await kept());
    await later(HOUR + 10 * MINUTE - 1);
    expect(await kept()).toHaveLength(1);
    await later(1);
    expect(await kept()).toEqual([]);
  });

  it('later when the store is away, and that shows', async () => {
    await keepOnly();
    // A folder in its place cannot be removed as a picture is.
    const [name = ''] = await kept();
    await rename(join(folder, name), `${folder}-aside`);
    await mkdir(join(folder, name));
    await later(HOUR);
    const metrics = await (await fetch(`${under.offers.url}/metrics`)).text();
    const others = await (await fetch(`${replica.url}/metrics`)).text();
    expect(metrics + others).toMatch(/image_removals_failed_total\{[^}]*\} 1/);
    await rm(join(folder, name), { recursive: true });
    await rename(`${folder}-aside`, join(folder, name));
    await later(10 * MINUTE);
    expect(await kept()).toEqual([]);
  });

  it('though there are more of them than are looked at in one go', async () => {
    await under.postgres.query(
      `INSERT INTO images (name, look_at) SELECT lpad(to_hex(n), 64, '0') || '.png', $1 FROM generate_series(1, 450) AS n`,
      [under.clock.now()],
    );
    await removeEverywhere();
    expect(await under.postgres.query('SELECT 1 FROM images')).toEqual([]);
  });
});

describe('a picture stays', () => {
  it('as long as its offer is listed, also when that ended years ago', async () => {
    await createdId(under);
    for (let quarter = 0; quarter < 10; quarter += 1) await later(91 * DAY);
    expect(await kept()).toHaveLength(1);
    expect(await under.postgres.query('SELECT 1 FROM images')).toHaveLength(1);
  });

  it('as long as its creation may go on', async () => {
    takeBillingAway();
    const key = 'a-key-that-comes-back';
    expect((await create(under, {}, { key, once: true })).status).toBe(503);
    for (let visit = 0; visit < 8; visit += 1) await later(3 * DAY);
    expect(await kept()).toHaveLength(1);
  });

  it('for another hour when the same is kept again', async () => {
    const name = await keepOnly();
    under.clock.advance(40 * MINUTE);
    expect(await keepOnly()).toBe(name);
    await later(40 * MINUTE);
    expect(await kept()).toEqual([name]);
    await later(20 * MINUTE);
    expect(await kept()).toEqual([]);
  });
});

describe('a doomed picture', () => {
  it('is never needed again: the same one kept anew has another name, which no late removal hits', async () => {
    const doomed = await keepOnly();
    under.clock.advance(HOUR);
    await retireUnneeded(under.postgres, { now: under.clock.now(), atMost: 10 });
    const anew = await keepOnly();
    expect(anew).not.toBe(doomed);
    const id = await createdId(under);
    await later(10 * MINUTE);
    expect(await kept()).toEqual([anew]);
    const rows = await under.postgres.query('SELECT image FROM offers WHERE offer_id = $1', [id]);
    expect(rows).toEqual([{ image: anew }]);
  });

  it('stops the creation that had kept it, whose key then goes on with the picture kept anew', async () => {
    const key = 'a-key-of-a-very-slow-process';
    const { otherServices, postgres } = under;
    // Doomed between keeping and noting it: the row has gone when the creation looks.
    await postgres.query(`CREATE FUNCTION doom() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.retired_at = now(); RETURN NEW; END $$`);
    await postgres.query('CREATE TRIGGER doom BEFORE INSERT ON images FOR EACH ROW EXECUTE FUNCTION doom()');
    try {
      expect(await create(under, {}, { key })).toMatchObject({ status: 409 });
    } finally {
      await postgres.query('DROP FUNCTION doom CASCADE');
    }
    expect(otherServices.billing.sales.size).toBe(0);
    expect(await postgres.query('SELECT 1 FROM offers')).toEqual([]);
    expect(await create(under, {}, { key })).toMatchObject({ status: 200, body: { return_code: 'S1' } });
    await later(DAY);
    const [offer] = await postgres.query<{ image: string }>('SELECT image FROM offers');
    expect(await kept()).toEqual([offer?.image]);
  });
});

describe('what lies in the store though no row knows it', () => {
  const stray = newImageName(`${'a'.repeat(64)}.png`);

  async function searchEverywhere(): Promise<void> {
    await Promise.all([under.offers.imageRemoval.search(), replica.imageRemoval.search()]);
  }

  it('is removed after 30 days, unless it is not ours', async () => {
    const unfinished = `.${stray}.8d7f9df2-5b3e-4f8e-9c59-0d6f8ad1d7b1`;
    for (const name of [stray, unfinished, 'README']) await writeFile(join(folder, name), 'bytes');
    await searchEverywhere();
    await later(30 * DAY - 1);
    expect(await kept()).toHaveLength(3);
    await later(1);
    expect(await kept()).toEqual(['README']);
  });

  it('stays when an offer needs it, as after a restored backup', async () => {
    await createdId(under);
    await under.postgres.query('DELETE FROM images');
    await searchEverywhere();
    for (let month = 0; month < 5; month += 1) await later(30 * DAY);
    expect(await kept()).toHaveLength(1);
  });

  it('is looked for once a day, however many replicas there are', async () => {
    await searchEverywhere();
    await writeFile(join(folder, stray), 'bytes');
    under.clock.advance(DAY - 1);
    await searchEverywhere();
    expect(await under.postgres.query('SELECT 1 FROM images')).toEqual([]);
    under.clock.advance(1);
    await searchEverywhere();
    expect(await under.postgres.query('SELECT 1 FROM images')).toHaveLength(1);
  });

  it('is looked for again soon when the store was away', async () => {
    await writeFile(join(folder, stray), 'bytes');
    await rename(folder, `${folder}-away`);
    await expect(under.offers.imageRemoval.search()).rejects.toMatchObject({ status: 503 });
    await rename(`${folder}-away`, folder);
    await searchEverywhere();
    expect(await under.postgres.query('SELECT name FROM images')).toEqual([{ name: stray }]);
  });
});

describe('a store that belongs to another database', () => {
  const stray = newImageName(`${'b'.repeat(64)}.png`);
  let mark: string;
  beforeEach(async () => {
    mark = await readFile(join(folder, MARK), 'utf8');
  });
  afterEach(async () => {
    await writeFile(join(folder, MARK), mark);
    await removeEverywhere();
  });

  async function foreignTold(): Promise<boolean> {
    const metrics = await (await fetch(`${under.offers.url}/metrics`)).text();
    return /^image_store_foreign\{[^}]*\} 1$/m.test(metrics);
  }

  it('refuses the start of a service on another database, and loses no picture', async () => {
    await createdId(under);
    const [picture] = await kept();
    await expect(
      startOffersUnderTest({ settings: { IMAGE_STORE_URL: under.config.IMAGE_STORE_URL } }),
    ).rejects.toThrow(/IMAGE_STORE_URL.*another database/);
    expect(await kept()).toEqual([picture]);
    expect(await readFile(join(folder, MARK), 'utf8')).toBe(mark);
  });

  it.each([
    ['whose mark was changed', () => writeFile(join(folder, MARK), randomUUID())],
    ['whose mark is gone and which holds pictures that no row knows', () => rm(join(folder, MARK))],
  ])('%s is neither searched nor swept, that shows, and offers are sold on', async (_, change) => {
    const id = await createdId(under);
    const doomed = await keepOnly();
    await writeFile(join(folder, stray), 'bytes');
    await change();
    await under.postgres.query('UPDATE offers SET deleted_at = $1 WHERE offer_id = $2', [
      under.clock.now(),
      id,
    ]);
    under.clock.advance(365 * DAY);
    await expect(under.offers.imageRemoval.search()).rejects.toThrow('another database');
    await expect(under.offers.imageRemoval.remove()).rejects.toThrow('another database');
    expect((await kept()).toSorted()).toEqual([doomed, stray].toSorted());
    expect(await under.postgres.query('SELECT name FROM images')).toEqual([{ name: doomed }]);
    expect(await foreignTold()).toBe(true);
    under.clock.set('2026-06-01T12:00:00Z');
    await createdId(under);
  });

  it('is swept again once its mark names the database again', async () => {
    await keepOnly();
    await writeFile(join(folder, MARK), randomUUID());
    under.clock.advance(HOUR);
    await expect(under.offers.imageRemoval.remove()).rejects.toThrow('another database');
    await writeFile(join(folder, MARK), mark);
    await removeEverywhere();
    expect(await kept()).toEqual([]);
    expect(await foreignTold()).toBe(false);
  });

  it('is not what a store without a mark is that holds only our own pictures: it is marked anew', async () => {
    await createdId(under);
    await rm(join(folder, MARK));
    await removeEverywhere();
    expect(await readFile(join(folder, MARK), 'utf8')).toBe(mark);
  });
});
