/** Random lives of offers: any commands at any milliseconds, and the events of them. */
import { fc } from '@offer-ads/testing/profile';
import { edit } from '../../src/domain/lifecycle/edit-content.ts';
import {
  applyPayment,
  beginDeletion,
  type ClosePageOutcome,
  disable,
  enable,
  endDeletion,
  pause,
  paymentOutcome,
  resume,
  show,
} from '../../src/domain/lifecycle/lifecycle.ts';
import { type Offer, stateAt } from '../../src/domain/offer.ts';
import { deleted, ended, type OfferEvent, paymentApplied } from '../../src/lifecycle/offer-events.ts';
import { reservation } from './lifecycle-fixture.ts';
import { type Action, LifecycleModel } from './lifecycle-model.ts';

const DAY = 86_400_000;

export type Command = Action | 'announce the end';
/** `page` is billing's answer if it is asked to close the page. */
export type Step = { readonly command: Command; readonly at: number; readonly page: ClosePageOutcome };
export type Story = {
  readonly offer: Offer;
  /** From the balance; by card; or by card before the creation has finished. */
  readonly paid: 'at once' | 'later' | 'before it is shown';
  readonly steps: readonly Step[];
};

/** Many steps are at the limits of the schedule, just before and just after them, because faults are likely there. */
export const stories: fc.Arbitrary<Story> = fc
  .record({
    created: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2030, 0, 1) }),
    // A start up to 60 seconds in the past is accepted.
    startsIn: fc.oneof(fc.integer({ min: -60_000, max: 0 }), fc.integer({ min: 0, max: 3 * DAY })),
    lasts: fc.oneof(
      fc.constant(60_000),
      fc.integer({ min: 60_000, max: 90_000 }),
      fc.integer({ min: 60_000, max: 400 * DAY }),
    ),
    paid: fc.constantFrom('at once', 'later', 'before it is shown'),
    netMinor: fc.oneof(fc.bigInt({ min: 0n, max: 100n }), fc.bigInt({ min: 0n, max: 10n ** 12n })),
  })
  .chain(({ created, startsIn, lasts, paid, netMinor }) => {
    const start = created + startsIn;
    const expiry = start + lasts;
    const border = fc
      .tuple(fc.constantFrom(created, start, expiry), fc.integer({ min: -1, max: 1 }))
      .map(([instant, off]) => Math.max(created, instant + off));
    const step = fc.record({
      // Payments and deletions are less frequent, because they end what a story can show.
      command: fc.oneof(
        { arbitrary: fc.constantFrom<Command>('edit', 'pay', 'delete', 'announce the end'), weight: 3 },
        { arbitrary: fc.constantFrom<Command>('pause', 'resume', 'disable', 'enable'), weight: 13 },
      ),
      at: fc.oneof(
        { arbitrary: fc.integer({ min: created, max: expiry + DAY }), weight: 4 },
        { arbitrary: border, weight: 2 },
      ),
      page: fc.constantFrom<ClosePageOutcome>('closed', 'paid', 'unknown'),
    });
    return fc.array(step, { maxLength: 16 }).map((steps): Story => {
      const instants = {
        createdAt: new Date(created),
        startAt: new Date(start),
        expiryAt: new Date(expiry),
      };
      const offer = { ...reservation(), ...instants, netMinor };
      return { offer, paid, steps: steps.toSorted((a, b) => a.at - b.at) };
    });
  });

/** The offer after a step, with the events so far, and the model after the same step. */
export type Standing = {
  readonly now: Date;
  readonly offer: Offer;
  readonly model: LifecycleModel;
  readonly events: readonly OfferEvent[];
  /** Whether the offer and the model allowed the step. */
  readonly accepted: boolean;
  readonly modelAccepted: boolean;
};

/**
 * @param overtaken how much earlier than its turn each command arrived: requests carry the time of their arrival, and may overtake each
 * other. The model does not know this, so with it compare only the offer.
 */
export function* play(
  { offer: reserved, paid, steps }: Story,
  overtaken: readonly number[] = [],
): Generator<Standing> {
  const { createdAt, startAt, expiryAt } = reserved;
  const model = new LifecycleModel({ created: +createdAt, start: +startAt, expiry: +expiryAt });
  const events: OfferEvent[] = [];
  let offer = created(reserved, paid);
  if (offer.paymentAppliedAt !== null) {
    model.try('pay', +createdAt);
    events.push(paymentEvent(offer, createdAt));
  }
  yield { now: createdAt, offer, model, events: [...events], accepted: true, modelAccepted: true };
  for (const [index, step] of steps.entries()) {
    const at = new Date(Math.max(+createdAt, step.at - (overtaken[index] ?? 0)));
    const before = offer;
    const done = take(offer, step, at);
    const modelAccepted = takeInModel(model, step, done);
    offer = done.offer;
    events.push(...done.events);
    yield { now: at, offer, model, events: [...events], accepted: offer !== before, modelAccepted };
  }
}

/** The offer as its creation leaves it. */
function created(reserved: Offer, paid: Story['paid']): Offer {
  const { createdAt } = reserved;
  const payment = { paidAt: createdAt, vatMinor: 0n };
  const early = paid === 'before it is shown' ? applyPayment(reserved, payment, createdAt) : null;
  const billed = { paymentUrl: null, vatMinor: 0n, paidAt: paid === 'at once' ? createdAt : null };
  return show(early?.ok === true ? early.offer : reserved, billed, createdAt);
}

type Taken = { readonly offer: Offer; readonly events: readonly OfferEvent[] };

function take(offer: Offer, { command, page }: Step, now: Date): Taken {
  const unchanged = { offer, events: [] };
  const changed = (decision: { readonly ok: true; readonly offer: Offer } | { readonly ok: false }): Taken =>
    decision.ok ? { offer: decision.offer, events: [] } : unchanged;
  switch (command) {
    case 'pause':
      return changed(pause(offer, now));
    case 'resume':
      return changed(resume(offer, now));
    case 'disable':
      return changed(disable(offer, now, 'its terms'));
    case 'enable':
      return changed(enable(offer, now));
    case 'edit':
      return changed(edit(offer, { title: `Title ${offer.contentVersion}` }, now));
    case 'pay': {
      const applied = applyPayment(offer, { paidAt: now, vatMinor: 0n }, now);
      return applied.ok ? { offer: applied.offer, events: [paymentEvent(applied.offer, now)] } : unchanged;
    }
    case 'delete': {
      const begun = beginDeletion(offer, now);
      if (!begun.ok) return unchanged;
      if (begun.step === 'deleted') return { offer: begun.offer, events: [deleted(begun.offer, now)] };
      const end = endDeletion(begun.offer, page, now);
      if (!end.ok) throw new Error('a deletion that has begun has an end');
      return end.step === 'deleted' ? { offer: end.offer, events: [deleted(end.offer, now)] } : unchanged;
    }
    case 'announce the end': {
      // The condition of the sweeper: an offer that was deleted before its expiry never ends.
      const canEnd = offer.deletedAt === null || offer.deletedAt >= offer.expiryAt;
      if (offer.endAnnouncedAt !== null || now < offer.expiryAt || !canEnd) return unchanged;
      return {
        offer: { ...offer, endAnnouncedAt: now },
        events: [ended(offer, { together: [offer], alsoNow: [offer] }, now)],
      };
    }
  }
}

function paymentEvent(offer: Offer, at: Date): OfferEvent {
  return paymentApplied(offer, paymentOutcome(stateAt(offer, at)), [offer], offer.paidAt ?? at, at);
}

function takeInModel(model: LifecycleModel, { command, at, page }: Step, done: Taken): boolean {
  if (command === 'announce the end') return done.events.length > 0;
  // Unless the page is closed, an unpaid offer is not deleted.
  const isPageOpen = command === 'delete' && model.stateAt(at) === 'Awaiting Payment' && page !== 'closed';
  return !isPageOpen && model.try(command, at);
}
