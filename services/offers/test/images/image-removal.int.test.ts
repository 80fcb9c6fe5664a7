/** Which pictures are removed, and that no other ever is. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type ImageStore, MARK, newImageName, renditionName } from '../../src/images/images.ts';
import { retireUnneeded } from '../../src/images/images-store.ts';
import { openImageStore } from '../../src/images/open.ts';
import { storeImage } from '../../src/images/store-image.ts';
import type { Offers } from '../../src/service.ts';
import { created } from '../creation/creating.ts';
import { create, createdId } from '../forms.ts';
import { NOON, offersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const under = offersUnderTest();
let replicas: readonly [Offers, Offers];
let folder: string;
let images: ImageStore;
beforeAll(async () => {
  replicas = [under.offers, await under.startReplica()];
  folder = fileURLToPath(under.config.IMAGE_STORE_URL);
  const foundation = { logger: silentLogger, metrics: createMetrics('test') };
  images = under.use(await openImageStore({ kind: 'folder', folder }, foundation));
  // Each replica searches the store when it starts. The search would add a row for a picture that a test is just writing.
  await searchEverywhere();
});
beforeEach(async () => {
  await under.postgres.query(
    "DELETE FROM images; UPDATE image_search SET began_at = '-infinity', sampled_up_to = ''",
  );
  for (const name of await stored()) await rm(join(folder, name));
});

/** The names in the store, without its mark. */
async function stored(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== MARK);
}

async function removeEverywhere(): Promise<void> {
  await Promise.all(replicas.map(({ imageRemoval }) => imageRemoval.remove()));
}

async function searchEverywhere(): Promise<void> {
  await Promise.all(replicas.map(({ imageRemoval }) => imageRemoval.search()));
}

async function removeAfter(ms: number, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    under.clock.advance(ms);
    await removeEverywhere();
  }
}

/** As a creation does that then stops. */
async function storeOnly(): Promise<string> {
  const o = { postgres: under.postgres, images, clock: under.clock };
  return storeImage(o, await photographLikeJpeg(), 'image/jpeg', createDeadline(10_000));
}

/** Until the world is reset. */
function takeBillingAway(): void {
  under.otherServices.billing.breaks.beforeWork = Number.POSITIVE_INFINITY;
}

async function deleteOffer(id: number): Promise<void> {
  expect((await under.call('DELETE', `/offers/${id}`)).status).toBe(200);
}

async function metricsOf({ url }: Offers): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

describe('a picture is removed', () => {
  it('an hour after the last creation that brought it was refused', async () => {
    under.otherServices.billing.spent = true;
    expect((await create(under)).body).toMatchObject({ return_code: 'E3' });
    expect(await stored()).toHaveLength(1);
    await removeAfter(HOUR - 1);
    expect(await stored()).toHaveLength(1);
    await removeAfter(1);
    expect([await stored(), await under.count('images')]).toEqual([[], 0]);
  });

  it('after the sweep has dropped its creation', async () => {
    takeBillingAway();
    expect((await create(under, {}, { once: true })).status).toBe(503);
    await removeAfter(7 * DAY);
    expect(await stored()).toHaveLength(1);
    under.otherServices.reset();
    // Runs of the sweeper may have failed before, and a breaker may have opened.
    await eventually(async () => {
      await under.offers.sweeper.recover();
      expect(await under.count('offers')).toBe(0);
    });
    await removeAfter(7 * DAY);
    expect(await stored()).toEqual([]);
  });

  it('after the process that stored it has died', async () => {
    await storeOnly();
    await removeAfter(HOUR);
    expect(await stored()).toEqual([]);
  });

  it('30 days after the last of its offers was deleted', async () => {
    const [one, other] = [await createdId(under), await createdId(under)];
    expect(await stored()).toHaveLength(1);
    await deleteOffer(one);
    await removeAfter(7 * DAY, 10);
    expect(await stored()).toHaveLength(1);
    await deleteOffer(other);
    await removeAfter(15 * DAY, 1);
    await removeAfter(15 * DAY - 1);
    expect(await stored()).toHaveLength(1);
    await removeAfter(1);
    expect(await stored()).toEqual([]);
  });

  it('30 days after a deletion that a look at the picture did not see yet', async () => {
    const id = await createdId(under);
    under.clock.advance(HOUR);
    const looked = Promise.withResolvers<void>();
    const isDeleting = Promise.withResolvers<void>();
    const looking = under.postgres.transaction(async (tx) => {
      // As the look does: locks the picture, and then finds that the offer needs it.
      await tx.query('SELECT FROM images FOR UPDATE');
      looked.resolve();
      await isDeleting.promise;
      await tx.query("UPDATE images SET look_at = 'infinity'");
    });
    await looked.promise;
    const deleting = deleteOffer(id);
    await eventually(async () =>
      expect(
        await under.postgres.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        ),
      ).toHaveLength(1),
    );
    isDeleting.resolve();
    await Promise.all([looking, deleting]);
    await removeAfter(MINUTE);
    await removeAfter(30 * DAY);
    expect(await stored()).toEqual([]);
  });

  it('by another replica, if the one that has retired it died', async () => {
    await storeOnly();
    // Only the clock of the one that dies is ahead, or another replica could remove the picture first.
    const inAnHour = new Date(under.clock.now().getTime() + HOUR);
    const { retired } = await retireUnneeded(under.postgres, { now: inAnHour, atMost: 10 });
    expect(retired).toEqual(await stored());
    await removeAfter(HOUR + 10 * MINUTE - 1);
    expect(await stored()).toHaveLength(1);
    await removeAfter(1);
    expect(await stored()).toEqual([]);
  });

  it('later if the store fails, which a metric shows', async () => {
    const name = join(folder, await storeOnly());
    // A folder with this name cannot be removed like a picture.
    await rename(name, `${folder}-aside`);
    await mkdir(name);
    await removeAfter(HOUR);
    const metrics = await Promise.all(replicas.map(metricsOf));
    expect(metrics.join('')).toMatch(/image_removals_failed_total\{[^}]*\} 1/);
    await rm(name, { recursive: true });
    await rename(`${folder}-aside`, name);
    await removeAfter(10 * MINUTE);
    expect(await stored()).toEqual([]);
  });

  it('also if more are due than one batch has', async () => {
    await under.postgres.query(
      `INSERT INTO images (name, look_at) SELECT lpad(to_hex(n), 64, '0') || '.png', $1 FROM generate_series(1, 450) AS n`,
      [under.clock.now()],
    );
    await removeEverywhere();
    expect(await under.count('images')).toBe(0);
  });
});

describe('a picture stays', () => {
  it('while its offer is listed, also years after its end', async () => {
    await createdId(under);
    await removeAfter(91 * DAY, 10);
    expect([await stored(), await under.count('images')]).toEqual([[expect.any(String)], 1]);
  });

  it('and is not looked at again before an offer with it is deleted', async () => {
    await createdId(under);
    await removeAfter(HOUR);
    const { looked } = await retireUnneeded(under.postgres, {
      now: new Date(under.clock.now().getTime() + 3_650 * DAY),
      atMost: 10,
    });
    expect([looked, await stored()]).toEqual([0, [expect.any(String)]]);
  });

  it('while its creation can go on', async () => {
    takeBillingAway();
    expect((await create(under, {}, { once: true })).status).toBe(503);
    await removeAfter(3 * DAY, 8);
    expect(await stored()).toHaveLength(1);
  });

  it('for another hour when the same picture is stored again', async () => {
    const name = await storeOnly();
    under.clock.advance(40 * MINUTE);
    expect(await storeOnly()).toBe(name);
    await removeAfter(40 * MINUTE);
    expect(await stored()).toEqual([name]);
    await removeAfter(20 * MINUTE);
    expect(await stored()).toEqual([]);
  });
});

describe('the daily sample', () => {
  const sampled = async () => {
    const metrics = (await Promise.all(replicas.map(metricsOf))).join('');
    const sum = (outcome: string) =>
      [
        ...metrics.matchAll(
          new RegExp(`^images_sampled_total\\{[^}]*outcome="${outcome}"[^}]*\\} (\\d+)`, 'gm'),
        ),
      ]
        .map(([, count]) => Number(count))
        .reduce((total, count) => total + count, 0);
    return { needed: sum('needed'), unneeded: sum('unneeded') };
  };
  const addMissed = (count: number) =>
    under.postgres.query(
      `INSERT INTO images (name, look_at) SELECT lpad(to_hex(n), 64, '0') || '.png', 'infinity' FROM generate_series(1, $1::int) AS n`,
      [count],
    );

  it('finds a picture whose deletion was missed, which is removed an hour later; a needed one stays', async () => {
    await createdId(under);
    await removeAfter(HOUR);
    await addMissed(1);
    const before = await sampled();
    await searchEverywhere();
    expect(await sampled()).toEqual({ needed: before.needed + 1, unneeded: before.unneeded + 1 });
    await removeAfter(HOUR - 1);
    expect(await under.count('images')).toBe(2);
    await removeAfter(1);
    expect([await under.count('images'), await stored()]).toEqual([1, [expect.any(String)]]);
  });

  it('is at most 10,000 a day, and goes on behind the last one', async () => {
    await addMissed(12_000);
    const missed = () => under.count("images WHERE look_at = 'infinity'");
    await searchEverywhere();
    expect(await missed()).toBe(2_000);
    under.clock.advance(DAY);
    await searchEverywhere();
    expect(await missed()).toBe(0);
  });
});

describe('a retired picture', () => {
  it('is never used again: the same picture is stored under another name, which no late removal hits', async () => {
    const retired = await storeOnly();
    under.clock.advance(HOUR);
    await retireUnneeded(under.postgres, { now: under.clock.now(), atMost: 10 });
    const again = await storeOnly();
    expect(again).not.toBe(retired);
    const parts = { start_datetime: '2026-06-01T14:00:00Z' };
    await createdId(under, parts);
    await removeAfter(10 * MINUTE);
    expect(await stored()).toEqual([again]);
    expect(await under.postgres.query('SELECT image FROM offers')).toEqual([{ image: again }]);
  });

  it('stops the creation that had stored it, whose key then goes on with the picture stored again', async () => {
    const key = 'a-key-of-a-very-slow-process';
    const { otherServices, postgres } = under;
    // Retired between its storing and the reservation.
    await postgres.query(
      `CREATE FUNCTION retire() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN NEW.retired_at = now(); RETURN NEW; END $$;
       CREATE TRIGGER retire BEFORE INSERT ON images FOR EACH ROW EXECUTE FUNCTION retire()`,
    );
    try {
      expect(await create(under, {}, { key })).toMatchObject({ status: 409 });
    } finally {
      await postgres.query('DROP FUNCTION retire CASCADE');
    }
    expect([otherServices.billing.sales.size, await under.count('offers')]).toEqual([0, 0]);
    expect(await create(under, {}, { key })).toMatchObject(created);
    await removeAfter(DAY);
    const [offer] = await postgres.query<{ image: string }>('SELECT image FROM offers');
    expect(await stored()).toEqual([offer?.image]);
  });
});

describe('a file in the store that has no row', () => {
  const stray = newImageName(`${'a'.repeat(64)}.png`, { width: 400, height: 300 });

  it('is removed after 30 days, unless it has no name of ours', async () => {
    const unfinished = `.${stray}.8d7f9df2-5b3e-4f8e-9c59-0d6f8ad1d7b1`;
    for (const name of [stray, unfinished, 'README']) await writeFile(join(folder, name), 'bytes');
    await searchEverywhere();
    await removeAfter(30 * DAY - 1);
    expect(await stored()).toHaveLength(3);
    await removeAfter(1);
    expect(await stored()).toEqual(['README']);
  });

  it('is removed after 30 days, if it is a rendition whose picture is gone; one whose picture is there stays', async () => {
    const picture = await storeOnly();
    await createdId(under);
    const [orphan, ours] = [renditionName(stray, 160), renditionName(picture, 160)];
    for (const name of [orphan, ours, `.${ours}.8d7f9df2-5b3e-4f8e-9c59-0d6f8ad1d7b1`])
      await writeFile(join(folder, name), 'bytes');
    await searchEverywhere();
    await removeAfter(30 * DAY - 1);
    expect(await stored()).toHaveLength(4);
    await removeAfter(1);
    expect((await stored()).toSorted()).toEqual([picture, ours].toSorted());
  });

  it('stays if an offer needs it, as after a restored backup', async () => {
    await createdId(under);
    await under.postgres.query('DELETE FROM images');
    await searchEverywhere();
    await removeAfter(30 * DAY, 5);
    expect(await stored()).toHaveLength(1);
  });

  it('is looked for once a day, by one of the replicas', async () => {
    await searchEverywhere();
    await writeFile(join(folder, stray), 'bytes');
    under.clock.advance(DAY - 1);
    await searchEverywhere();
    expect(await under.count('images')).toBe(0);
    under.clock.advance(1);
    await searchEverywhere();
    expect(await under.count('images')).toBe(1);
  });

  it('is looked for again soon after the store was away', async () => {
    await writeFile(join(folder, stray), 'bytes');
    await rename(folder, `${folder}-away`);
    await expect(under.offers.imageRemoval.search()).rejects.toMatchObject({ status: 503 });
    await rename(`${folder}-away`, folder);
    await searchEverywhere();
    expect(await under.postgres.query('SELECT name FROM images')).toEqual([{ name: stray }]);
  });
});

describe('a store that belongs to another database', () => {
  const stray = newImageName(`${'b'.repeat(64)}.png`, { width: 400, height: 300 });
  let mark: string;
  beforeEach(async () => {
    mark = await readFile(join(folder, MARK), 'utf8');
  });
  afterEach(async () => {
    await writeFile(join(folder, MARK), mark);
    await removeEverywhere();
  });

  const isForeign = async () => /^image_store_foreign\{[^}]*\} 1$/m.test(await metricsOf(under.offers));

  it('refuses the start of a service on another database, and loses no picture', async () => {
    await createdId(under);
    const before = await stored();
    await expect(
      startOffersUnderTest({ settings: { IMAGE_STORE_URL: under.config.IMAGE_STORE_URL } }),
    ).rejects.toThrow(/IMAGE_STORE_URL.*another database/);
    expect([await stored(), await readFile(join(folder, MARK), 'utf8')]).toEqual([before, mark]);
  });

  it.each([
    ['whose mark was changed', () => writeFile(join(folder, MARK), randomUUID())],
    ['whose mark is gone, and which has pictures without a row', () => rm(join(folder, MARK))],
  ])('%s is not searched, loses nothing, and a metric shows it; offers are sold', async (_, change) => {
    const id = await createdId(under);
    const unneeded = await storeOnly();
    await writeFile(join(folder, stray), 'bytes');
    await change();
    await under.postgres.query('UPDATE offers SET deleted_at = $1 WHERE offer_id = $2', [
      under.clock.now(),
      id,
    ]);
    under.clock.advance(365 * DAY);
    await expect(under.offers.imageRemoval.search()).rejects.toThrow('another database');
    await expect(under.offers.imageRemoval.remove()).rejects.toThrow('another database');
    expect((await stored()).toSorted()).toEqual([unneeded, stray].toSorted());
    expect(await under.postgres.query('SELECT name FROM images')).toEqual([{ name: unneeded }]);
    expect(await isForeign()).toBe(true);
    under.clock.set(NOON);
    await createdId(under);
  });

  it('loses unneeded pictures again once its mark names our database again', async () => {
    await storeOnly();
    await writeFile(join(folder, MARK), randomUUID());
    under.clock.advance(HOUR);
    await expect(under.offers.imageRemoval.remove()).rejects.toThrow('another database');
    await writeFile(join(folder, MARK), mark);
    await removeEverywhere();
    expect([await stored(), await isForeign()]).toEqual([[], false]);
  });

  it('is not one without a mark that has only pictures of ours: it gets our mark again', async () => {
    await createdId(under);
    const [picture = ''] = await stored();
    await writeFile(join(folder, renditionName(picture, 160)), 'a rendition of ours');
    await rm(join(folder, MARK));
    await removeEverywhere();
    expect(await readFile(join(folder, MARK), 'utf8')).toBe(mark);
  });
});
