import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { renditionWidths } from '@offer-ads/contracts/pictures/renditions';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { fc } from '@offer-ads/testing/profile';
import { newImageName, renditionName, renditionNames } from './images.ts';
import { createRenditions } from './renditions.ts';

const content = `${'a'.repeat(64)}.png`;

it('the renditions that a picture can have are the narrower ones', () => {
  const side = fc.integer({ min: 1, max: 16_384 });
  fc.assert(
    fc.property(side, side, (width, height) => {
      const names = renditionNames(newImageName(content, { width, height }));
      expect(names).toHaveLength(renditionWidths.filter((narrower) => narrower < width).length);
      // A rendition has none itself.
      expect(names.flatMap(renditionNames)).toEqual([]);
    }),
  );
});

describe('many different renditions at once', () => {
  it('are made two at a time, in a bounded line; the others are not made until they are asked for again', async () => {
    const gate = Promise.withResolvers<void>();
    const calls = { count: 0, atOnce: 0, mostAtOnce: 0 };
    const stored = new Set<string>();
    const rendition = async () => {
      calls.count += 1;
      calls.atOnce += 1;
      calls.mostAtOnce = Math.max(calls.mostAtOnce, calls.atOnce);
      await gate.promise;
      calls.atOnce -= 1;
      return { bytes: Buffer.from('narrower') };
    };
    const renditions = createRenditions({
      postgres: { query: async () => [{ offer_id: 1, expiry_at: new Date() }] },
      images: {
        read: async () => ({ sizeBytes: 1, bytes: Readable.from([Buffer.from('picture')]) }),
        put: async (name: string) => void stored.add(name),
      },
      otherServices: { rendition },
      clock: testClock('2026-06-01T12:00:00Z'),
      logger: silentLogger,
    } as unknown as Parameters<typeof createRenditions>[0]);
    const names = Array.from({ length: 75 }, () =>
      renditionName(newImageName(content, { width: 700, height: 500 }), 160),
    );
    const made = names.map((name) => renditions.make(name, 'a request'));
    // 64 are let in, of which two begin.
    expect(await Promise.all(made.slice(64))).toEqual(Array(11).fill(false));
    expect(calls.mostAtOnce).toBeLessThanOrEqual(2);
    gate.resolve();
    expect(await Promise.all(made.slice(0, 64))).toEqual(Array(64).fill(true));
    for (const name of names.slice(64)) expect(await renditions.make(name, 'a request')).toBe(true);
    expect(calls).toMatchObject({ count: 75, mostAtOnce: 2 });
    expect(stored).toEqual(new Set(names));
  });
});
