/**
 * A second, simple implementation of an offer's life, written from the specification. It stores only what was done and when, and computes
 * every answer from that list, so it has no state that could be wrong.
 */
import type { OfferState } from '../../src/domain/offer.ts';

export type Action = 'pay' | 'pause' | 'resume' | 'edit' | 'disable' | 'enable' | 'delete';

/** All times here are milliseconds since 1970. */
export type Schedule = { readonly created: number; readonly start: number; readonly expiry: number };

export class LifecycleModel {
  readonly schedule: Schedule;
  readonly #actions: { readonly action: Action; readonly at: number }[] = [];

  constructor(schedule: Schedule) {
    this.schedule = schedule;
  }

  /** Returns whether it is allowed at that time, and does it if so. Times never go back. */
  try(action: Action, at: number): boolean {
    const allowed = this.#allows(action, at);
    if (allowed) this.#actions.push({ action, at });
    return allowed;
  }

  #allows(action: Action, at: number): boolean {
    const state = this.stateAt(at);
    switch (action) {
      case 'pay':
        return this.#first('pay') === Infinity;
      case 'pause':
        return state === 'Scheduled' || state === 'Active';
      case 'resume':
        return state === 'Paused';
      case 'edit':
        return state !== 'Ended' && state !== 'Deleted';
      case 'disable':
        return state !== 'Deleted' && !this.#isDisabled(at);
      case 'enable':
        return state !== 'Deleted' && this.#isDisabled(at);
      case 'delete':
        return state !== 'Deleted';
    }
  }

  stateAt(at: number): OfferState {
    if (this.#first('delete') <= at) return 'Deleted';
    if (at >= this.schedule.expiry) return 'Ended';
    if (this.#first('pay') > at) return 'Awaiting Payment';
    if (this.#last(at, 'pause', 'resume') === 'pause') return 'Paused';
    return at < this.schedule.start ? 'Scheduled' : 'Active';
  }

  isLiveAt(at: number): boolean {
    return this.stateAt(at) === 'Active' && !this.#isDisabled(at);
  }

  /** Unused Time (decision 6). Nothing changes between two actions, so the middle of that time stands for all of it. */
  unusedMs(now: number): number {
    const { created, start, expiry } = this.schedule;
    const paid = this.#first('pay');
    const deleted = this.#first('delete');
    if (paid === Infinity) return 0;
    // Decision 7, late card payments: the payment reached an ended or deleted offer.
    if (paid >= expiry || this.#isBefore('delete', 'pay')) return expiry - start;
    const borders = [created, start, expiry, now, ...this.#actions.map(({ at }) => at)];
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

  #first(wanted: Action): number {
    return this.#actions.find(({ action }) => action === wanted)?.at ?? Infinity;
  }

  #isBefore(one: Action, other: Action): boolean {
    const place = (wanted: Action) => this.#actions.findIndex(({ action }) => action === wanted);
    return place(one) !== -1 && place(one) < place(other);
  }

  #last(at: number, ...either: readonly Action[]): Action | undefined {
    return this.#actions.findLast((it) => it.at <= at && either.includes(it.action))?.action;
  }
}
