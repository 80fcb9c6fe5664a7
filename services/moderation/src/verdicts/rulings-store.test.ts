import { describe, expect, it } from '@jest/globals';
import type { Recognised, RulingAction } from '../domain/decision.ts';
import { type Fingerprint, fingerprintWords } from '../domain/fingerprint.ts';
import { cacheRulings, type RulingOnPicture } from './rulings-store.ts';

/** The list of rulings as stored, with any number of replicas. */
function rulings() {
  const list: RulingOnPicture[] = [];
  return {
    replica: () => cacheRulings({ after: async (number, limit) => list.slice(number, number + limit) }),
    decide: (action: RulingAction, picture: Recognised) => {
      const made = { action, author: 'ann', reason: 'because', at: new Date(0) };
      list.push({ ...picture, ...made, number: list.length + 1 });
    },
  };
}

/** Copies of the same scene have the same fingerprint. */
function picture(contentHash: string, o: { cleanHash?: string; scene?: number } = {}): Recognised {
  const { cleanHash = `clean ${contentHash}`, scene } = o;
  const fingerprint: Fingerprint = new Int32Array(fingerprintWords);
  if (scene !== undefined) fingerprint.fill(0x13579bdf * scene, 0, 8).fill(-1, 8);
  return { contentHash, cleanHash, fingerprints: [fingerprint, fingerprint, fingerprint] };
}

describe('rulings in memory', () => {
  it('are all there after a start, however many there were', async () => {
    const { replica, decide } = rulings();
    for (let index = 0; index < 4_500; index += 1) decide('block', picture(`p${index}`));
    const cached = await replica();
    for (const index of [0, 1_999, 2_000, 4_499])
      expect(await cached.on(picture(`p${index}`))).toMatchObject({ reason: 'blocked' });
  });

  it('that are withdrawn leave nothing behind, under no name and for no copy', async () => {
    const { replica, decide } = rulings();
    const cached = await replica();
    decide('block', picture('a', { cleanHash: 'as shown', scene: 1 }));
    expect(await cached.on(picture('copy', { scene: 1 }))).toBeDefined();
    decide('withdraw', picture('same with other metadata', { cleanHash: 'as shown', scene: 1 }));
    expect(await cached.on(picture('a', { scene: 1 }))).toBeUndefined();
    expect(await cached.on(picture('copy', { scene: 1 }))).toBeUndefined();
    expect(cached.size()).toBe(0);
  });

  it('leave a copy refused for another block when one is withdrawn', async () => {
    const { replica, decide } = rulings();
    decide('block', picture('a', { scene: 1 }));
    decide('block', picture('b', { scene: 1 }));
    decide('withdraw', picture('b', { scene: 1 }));
    const cached = await replica();
    expect(await cached.on(picture('b', { scene: 1 }))).toMatchObject({ ruling: { contentHash: 'a' } });
  });
});
