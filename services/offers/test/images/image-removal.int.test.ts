/** Which pictures are removed, and that no other ever is. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { ImageStore } from '../../src/images/images.ts';
import { databaseId, retireUnneeded } from '../../src/images/images-store.ts';
import { openImageStore } from '../../src/images/open.ts';
import { storeImage } from '../../src/images/store-image.ts';
import type { Offers } from '../../src/service.ts';
import { created } from '../creation/creating.ts';
import { create, createdId } from '../forms.ts';
import { offersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { folderOf } from './listed-picture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const under = offersUnderTest();
let replicas: readonly [Offers, Offers];
let folder: string;
let images: ImageStore;
beforeAll(async () => {
  replicas = [under.offers, await under.startReplica()];
  folder = await folderOf(under);
  const foundation = { logger: silentLogger, metrics: createMetrics('test') };
  const settings = { kind: 'folder', folder: fileURLToPath(under.config.IMAGE_STORE_URL) } as const;
  images = under.use(await openImageStore(settings, await databaseId(under.postgres), foundation));
});
beforeEach(async () => {
  await under.postgres.query('DELETE FROM images');
  for (const name of await stored()) await rm(join(folder, name));
});

const stored = () => readdir(folder);

async function removeEverywhere(): Promise<void> {
  await Promise.all(replicas.map(({ imageRemoval }) => imageRemoval.remove()));
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

  it('after the sweep has dropped its creation, and not while that can go on', async () => {
    takeBillingAway();
    expect((await create(under, {}, { once: true })).status).toBe(503);
    await removeAfter(3 * DAY, 8);
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

  it('later if the store fails', async () => {
    const name = join(folder, await storeOnly());
    // A folder with this name cannot be removed like a picture.
    await rename(name, `${folder}-aside`);
    await mkdir(name);
    await removeAfter(HOUR);
    await rm(name, { recursive: true });
    await rename(`${folder}-aside`, name);
    await removeAfter(10 * MINUTE);
    expect(await stored()).toEqual([]);
  });

  it('also if more are due than one batch has', async () => {
    await under.postgres.query(
      `INSERT INTO images (name, content, look_at) SELECT name, name, $1 FROM (SELECT lpad(to_hex(n), 64, '0') || '.png' FROM generate_series(1, 450) AS n) AS new (name)`,
      [under.clock.now()],
    );
    await removeEverywhere();
    expect(await under.count('images')).toBe(0);
  });
});

describe('a picture stays', () => {
  it('while its offer is listed, and is not looked at again before that is deleted', async () => {
    await createdId(under);
    await removeAfter(91 * DAY, 10);
    const { looked } = await retireUnneeded(under.postgres, {
      now: new Date(under.clock.now().getTime() + 3_650 * DAY),
      atMost: 10,
    });
    expect([looked, await stored()]).toEqual([0, [expect.any(String)]]);
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

it('pictures of another installation in the same store are never met', async () => {
  const settings = { IMAGE_STORE_URL: under.config.IMAGE_STORE_URL };
  const other = under.use(await startOffersUnderTest({ settings }));
  const [ours, theirs] = [await createdId(under), await createdId(other)];
  const theirFolder = await folderOf(other);
  expect([theirFolder, await readdir(theirFolder)]).toEqual([
    expect.not.stringContaining(folder),
    [expect.any(String)],
  ]);
  await deleteOffer(ours);
  await removeAfter(365 * DAY);
  expect([await stored(), await readdir(theirFolder)]).toEqual([[], [expect.any(String)]]);
  expect((await other.call('DELETE', `/offers/${theirs}`)).status).toBe(200);
});
