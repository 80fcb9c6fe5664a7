/**
 * An offer's life once more, written from the specification and as simply as can be: what was done and when, nothing else.
 * Every question is answered by going through that list anew, so there is no state that could be kept wrongly.
 */
import type { OfferState } from '../../src/domain/offer.ts';

type Deed = 'payment' | 'pause' | 'resume' | 'disable' | 'enable' | 'deletion';

/** Milliseconds since 1970, as everything here. */
export type Schedule = { readonly created: number; readonly start: number; readonly expiry: number };

export class LifecycleModel {
  readonly schedule: Schedule;
  readonly #deeds: { readonly deed: Deed; readonly at: number }[] = [];

  constructor(schedule: Schedule) {
    this.schedule = schedule;
  }

  /** Whether it may be done then; if so, it is. Times never go back. */
  try(deed: Deed, at: number): boolean {
    const allowed = this.#allows(deed, at);
    if (allowed) this.#deeds.push({ deed, at });
    return allowed;
  }

  #allows(deed: Deed, at: number): boolean {
    const state = this.stateAt(at);
    switch (deed) {
      case 'payment':
        return this.#first('payment') === Infinity;
      case 'pause':
        return state === 'Scheduled' || state === 'Active';
      case 'resume':
        return state === 'Paused';
      case 'disable':
        return state !== 'Deleted' && !this.#isDisabled(at);
      case 'enable':
        return state !== 'Deleted' && this.#isDisabled(at);
      case 'deletion':
        return state !== 'Deleted';
    }
  }

  stateAt(at: number): OfferState {
    if (this.#first('deletion') <= at) return 'Deleted';
    if (at >= this.schedule.expiry) return 'Ended';
    if (this.#first('payment') > at) return 'Awaiting Payment';
    if (this.#last(at, 'pause', 'resume') === 'pause') return 'Paused';
    return at < this.schedule.start ? 'Scheduled' : 'Active';
  }

  isLiveAt(at: number): boolean {
    return this.stateAt(at) === 'Active' && !this.#isDisabled(at);
  }

  /** Unused Time (decision 6), counted between actions: nothing changes there, so one instant stands for the whole. */
  unusedMs(now: number): number {
    const { created, start, expiry } = this.schedule;
    const paid = this.#first('payment');
    const deleted = this.#first('deletion');
    if (paid === Infinity) return 0;
    // Decision 7, late card payments: it reached an offer that was over.
    if (paid >= expiry || this.#isBefore('deletion', 'payment')) return expiry - start;
    const borders = [created, start, expiry, now, ...this.#deeds.map(({ at }) => at)];
    const moments = [...new Set(borders)].toSorted((a, b) => a - b);
    let unused = 0;
    for (const [index, from] of moments.slice(0, -1).entries()) {
      const to = moments[index + 1] ?? from;
      const middle = (from + to) / 2;
      if (middle < Math.max(created, start) || middle > expiry) continue;
      const isKnownByNow = middle < now || middle < paid || middle > deleted;
      if (isKnownByNow && !this.isLiveAt(middle)) unused += to - from;
    }
    return unused;
  }

  #isDisabled(at: number): boolean {
    return this.#last(at, 'disable', 'enable') === 'disable';
  }

  #first(wanted: Deed): number {
    return this.#deeds.find(({ deed }) => deed === wanted)?.at ?? Infinity;
  }

  #isBefore(one: Deed, other: Deed): boolean {
    const place = (wanted: Deed) => this.#deeds.findIndex(({ deed }) => deed === wanted);
    return place(one) !== -1 && place(one) < place(other);
  }

  #last(at: number, ...either: readonly Deed[]): Deed | undefined {
    return this.#deeds.findLast((it) => it.at <= at && either.includes(it.deed))?.deed;
  }
}
