/** All rulings in memory, updated before each look-up, so that a ruling of one replica applies on all at once. */

import { type Fingerprint, isDistinctive, latestLike, wholeLooks } from '../domain/fingerprint.ts';
import { namesOf, type Outcome, type Recognised, type Ruling, rulingOn } from '../domain/ruling.ts';
import type { RulingOnPicture, RulingsStore } from './rulings-store.ts';

export type CachedRulings = Awaited<ReturnType<typeof cacheRulings>>;

/** Rulings read at once: a few megabytes. */
const pageSize = 2_000;

/** Resolves when all existing rulings have been read. */
export async function cacheRulings(store: Pick<RulingsStore, 'after'>) {
  const byName = new Map<string, Ruling>();
  const blocks = new Map<number, Ruling>();
  /** Plain fingerprints are left out, because they match all other plain ones. */
  const blocked = new Map<number, readonly Fingerprint[]>();
  let seen = 0;

  /** One small read that rarely finds anything; with it, a block applies everywhere as soon as it is answered. */
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
    blocked.set(ruling.number, fingerprints.filter(isDistinctive));
  }

  /** Also under its other name, because both belong to one picture. */
  function forget(earlier: Ruling | undefined): void {
    if (earlier === undefined) return;
    for (const name of namesOf(earlier)) if (byName.get(name) === earlier) byName.delete(name);
    blocks.delete(earlier.number);
    blocked.delete(earlier.number);
  }

  /** A picture may be looked up several times; without a new ruling, the cached outcome is used. */
  const lookedUp = new WeakMap<Recognised, { readonly at: number; readonly outcome: Outcome | undefined }>();

  function lookUp(picture: Recognised): Outcome | undefined {
    const [onIt] = namesOf(picture)
      .flatMap((name) => byName.get(name) ?? [])
      .toSorted((one, other) => other.number - one.number);
    const number = latestLike(blocked, wholeLooks(picture.fingerprints));
    return rulingOn(onIt, number === undefined ? undefined : blocks.get(number));
  }

  await catchUp();
  return {
    /** The ruling about this picture, or the block of a picture of which it is a copy. */
    on: async (picture: Recognised) => {
      await catchUp();
      const before = lookedUp.get(picture);
      if (before?.at === seen) return before.outcome;
      const outcome = lookUp(picture);
      lookedUp.set(picture, { at: seen, outcome });
      return outcome;
    },
    /** The number of blocked pictures. */
    size: () => blocked.size,
  };
}
