/** Creations of one picture against its removal, in random orders. */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { runs } from '@offer-ads/testing/profile';
import { databaseId } from '../../src/images/images-store.ts';
import { openImageStore } from '../../src/images/open.ts';
import { type ImageRemoval, startImageRemoval } from '../../src/images/removal.ts';
import { create } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { type S3StandIn, startS3StandIn } from './s3-stand-in.ts';

/** The removal's clock is ahead, so that every picture seems to have been stored long ago. */
const AHEAD_MS = 61 * 60_000;
const AT_ONCE = 3;
const metrics = createMetrics('test');

let s3: S3StandIn;
let prefix: string;
let removal: ImageRemoval;
const under = offersUnderTest(async (opened) => {
  s3 = opened.use(await startS3StandIn());
  return { settings: s3.config };
});
beforeAll(async () => {
  const foundation = { logger: silentLogger, metrics };
  const id = await databaseId(under.postgres);
  prefix = `${s3.settings.prefix}${id}/`;
  const images = under.use(await openImageStore({ kind: 'bucket', ...s3.settings }, id, foundation));
  const clock = { now: () => new Date(under.clock.now().getTime() + AHEAD_MS) };
  removal = under.use(startImageRemoval({ postgres: under.postgres, images, clock, ...foundation }));
});

/** Waits a few random milliseconds, so that storing and removing meet in every order, also at the store. */
async function sometime(): Promise<undefined> {
  await pause(randomInt(0, 12));
}

it(
  'a shown offer has its picture, in whatever order creations and removals of the same picture meet',
  async () => {
    s3.before = sometime;
    // Half of the sales are refused, so that many pictures are not needed.
    under.otherServices.billing.onSale = async () => {
      under.otherServices.billing.balanceMinor = Math.random() < 0.5 ? 0n : 1_000_00n;
    };
    under.otherServices.billing.onSold = async () => {
      under.otherServices.billing.balanceMinor = 1_000_00n;
    };
    const photograph = await photographLikeJpeg({ width: 32, height: 32 });
    const outcomes = new Map<number, number>();
    const caller = { quota: { perPerson: 100_000, perOrganisation: 100_000 } };
    const race = { over: false };
    const removeOn = async () => {
      while (!race.over) {
        // On a busy machine a run may fail; the next one continues.
        await removal.remove().catch(() => {});
        await sometime();
      }
    };
    const createOn = async () => {
      for (let round = 0; round < runs(12, 500); round += 1) {
        const picture = Buffer.concat([photograph, randomBytes(16)]);
        const tries = Array.from({ length: AT_ONCE }, async () => {
          const key = randomUUID();
          await sometime();
          // As a client does: again with the same key while it is in use.
          for (let attempt = 0; attempt < 3; attempt += 1) {
            const { status } = await create(under, {}, { key, picture, caller });
            outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
            if (status !== 409) return;
          }
        });
        await Promise.all(tries);
      }
    };
    const removing = [removeOn(), removeOn()];
    try {
      await Promise.all([createOn(), createOn()]);
    } finally {
      race.over = true;
      await Promise.all(removing);
    }

    const shown = await under.postgres.query<{ image: string }>(
      'SELECT image FROM offers WHERE shown_at IS NOT NULL',
    );
    const there = ({ image }: { image: string }) => s3.objects.has(prefix + image);
    expect(shown.filter((offer) => !there(offer))).toEqual([]);
    // It was a race: creations were stopped, pictures were removed, offers were created.
    expect(outcomes.get(409) ?? 0).toBeGreaterThan(0);
    expect(s3.asked.filter((operation) => operation === 'DELETE').length).toBeGreaterThan(0);
    expect(shown.length).toBeGreaterThan(0);
    // A busy machine may answer 503.
    expect([200, 409, 503]).toEqual(expect.arrayContaining([...outcomes.keys()]));
  },
  runs(120_000, 900_000),
);
