/** All rulings in memory, brought up to date before each look-up: what one replica decided, all follow at once. */

import { wholeLooks } from '../domain/fingerprint.ts';
import { namesOf, type Outcome, type Recognised, type Ruling, rulingOn } from '../domain/ruling.ts';
import { createBlockedFingerprints } from './blocked-fingerprints.ts';
import type { RulingOnPicture, RulingsStore } from './rulings-store.ts';

export type HeldRulings = {
  /** What people decided about this picture or, by a block, about one that it is a copy of. */
  readonly on: (picture: Recognised) => Promise<Outcome | undefined>;
  /** Fingerprints of blocked pictures. */
  readonly size: () => number;
};

/** Rulings read at once: a few megabytes. */
const pageSize = 2_000;

/** Resolves when all that there are have been read. */
export async function holdRulings(store: Pick<RulingsStore, 'after'>): Promise<HeldRulings> {
  const byName = new Map<string, Ruling>();
  const blocks = new Map<number, Ruling>();
  const blocked = createBlockedFingerprints();
  let seen = 0;

  /** One small read that nearly always finds nothing, for which a block is in force everywhere once it is answered. */
  async function catchUp(): Promise<void> {
    for (let more = true; more; ) {
      const page = await store.after(seen, pageSize);
      for (const ruling of page) if (ruling.number > seen) follow(ruling);
      more = page.length === pageSize;
    }
  }

  function follow({ fingerprints, ...ruling }: RulingOnPicture): void {
    seen = ruling.number;
    for (const name of namesOf(ruling)) forget(byName.get(name));
    if (ruling.action === 'withdraw') return;
    for (const name of namesOf(ruling)) byName.set(name, ruling);
    if (ruling.action === 'allow') return;
    blocks.set(ruling.number, ruling);
    blocked.add(ruling.number, fingerprints);
  }

  /** Under its other name too: both are of one picture. */
  function forget(earlier: Ruling | undefined): void {
    if (earlier === undefined) return;
    for (const name of namesOf(earlier)) if (byName.get(name) === earlier) byName.delete(name);
    if (blocks.delete(earlier.number)) blocked.remove(earlier.number);
  }

  /** A picture is looked up again while nothing new has been decided, which then costs nothing. */
  const lookedUp = new WeakMap<Recognised, { readonly at: number; readonly outcome: Outcome | undefined }>();

  function lookUp(picture: Recognised): Outcome | undefined {
    const [onIt] = namesOf(picture)
      .flatMap((name) => byName.get(name) ?? [])
      .toSorted((one, other) => other.number - one.number);
    const number = blocked.latestLike(wholeLooks(picture.fingerprints));
    return rulingOn(onIt, number === undefined ? undefined : blocks.get(number));
  }

  await catchUp();
  return {
    on: async (picture) => {
      await catchUp();
      const before = lookedUp.get(picture);
      if (before?.at === seen) return before.outcome;
      const outcome = lookUp(picture);
      lookedUp.set(picture, { at: seen, outcome });
      return outcome;
    },
    size: blocked.size,
  };
}
