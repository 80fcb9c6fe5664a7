/** Lives of offers made up at random: any commands at any milliseconds, and what offers tells of them. */
import { fc } from '@offer-ads/testing/profile';
import {
  applyPayment,
  beginDeletion,
  type Decision,
  disable,
  effectiveAt,
  enable,
  endDeletion,
  type PaymentPage,
  pause,
  paymentOutcome,
  resume,
  show,
} from '../../src/domain/lifecycle/lifecycle.ts';
import { type Offer, stateAt } from '../../src/domain/offer.ts';
import { deleted, ended, type OfferEvent, paymentApplied } from '../../src/lifecycle/offer-events.ts';
import { reservation } from './lifecycle-fixture.ts';
import { LifecycleModel } from './lifecycle-model.ts';

const DAY = 86_400_000;

export type Command = 'pause' | 'resume' | 'disable' | 'enable' | 'pay' | 'delete' | 'tell the end';
/** What billing says when it is asked to close the page, if it is. */
export type Step = { readonly command: Command; readonly at: number; readonly page: PaymentPage };
export type Story = {
  readonly offer: Offer;
  /** From the balance, by card, or by a payer who is faster than the creation. */
  readonly paid: 'at once' | 'later' | 'before it is shown';
  readonly steps: readonly Step[];
};

const commands: readonly Command[] = [
  'pause',
  'resume',
  'disable',
  'enable',
  'pay',
  'delete',
  'tell the end',
];

/** With moments at, just before and just after the borders, where mistakes live. */
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
      // Commands that are rare would end most stories, or make them all alike.
      command: fc.oneof(
        { arbitrary: fc.constantFrom(...commands), weight: 3 },
        { arbitrary: fc.constantFrom<Command>('pause', 'resume', 'disable', 'enable'), weight: 5 },
      ),
      at: fc.oneof(
        { arbitrary: fc.integer({ min: created, max: expiry + DAY }), weight: 4 },
        { arbitrary: border, weight: 2 },
      ),
      page: fc.constantFrom<PaymentPage>('closed', 'paid', 'unknown'),
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

/** How it stands after each step, with what was told so far, beside what the model says. */
export type Standing = {
  readonly now: Date;
  readonly offer: Offer;
  readonly model: LifecycleModel;
  readonly news: readonly OfferEvent[];
  /** Of the step: whether offer and model agree on what may be done. */
  readonly accepted: boolean;
  readonly modelAccepted: boolean;
};

/**
 * @param overtaken how much earlier than its turn each command arrived: requests carry the instant of their arrival and may
 * overtake each other. The model knows nothing of that: look only at the offer then.
 */
export function* told(
  { offer: reserved, paid, steps }: Story,
  overtaken: readonly number[] = [],
): Generator<Standing> {
  const { createdAt, startAt, expiryAt } = reserved;
  const model = new LifecycleModel({ created: +createdAt, start: +startAt, expiry: +expiryAt });
  const news: OfferEvent[] = [];
  let offer = created(reserved, paid);
  if (offer.paymentAppliedAt !== null) {
    model.try('payment', +createdAt);
    news.push(newsOfPayment(offer, createdAt));
  }
  yield { now: createdAt, offer, model, news: [...news], accepted: true, modelAccepted: true };
  for (const [index, step] of steps.entries()) {
    const at = new Date(Math.max(+createdAt, step.at - (overtaken[index] ?? 0)));
    const before = offer;
    const done = take(offer, step, at);
    const modelAccepted = takeInModel(model, step, done);
    offer = done.offer;
    news.push(...done.news);
    yield { now: at, offer, model, news: [...news], accepted: offer !== before, modelAccepted };
  }
}

/** As creation leaves it. */
function created(reserved: Offer, paid: Story['paid']): Offer {
  const { createdAt } = reserved;
  const payment = { paidAt: createdAt, vatMinor: 0n };
  const kept = paid === 'before it is shown' ? applyPayment(reserved, payment, createdAt) : null;
  const billed = { paymentUrl: null, vatMinor: 0n, paidAt: paid === 'at once' ? createdAt : null };
  return show(kept?.ok === true ? kept.offer : reserved, billed, createdAt);
}

type Taken = { readonly offer: Offer; readonly news: readonly OfferEvent[] };

function take(offer: Offer, { command, page }: Step, now: Date): Taken {
  const unchanged = { offer, news: [] };
  const changed = (decision: Decision<string>): Taken =>
    decision.ok ? { offer: decision.offer, news: [] } : unchanged;
  const at = effectiveAt(offer, now);
  switch (command) {
    case 'pause':
      return changed(pause(offer, at));
    case 'resume':
      return changed(resume(offer, at));
    case 'disable':
      return changed(disable(offer, at));
    case 'enable':
      return changed(enable(offer, at));
    case 'pay': {
      const applied = applyPayment(offer, { paidAt: now, vatMinor: 0n }, now);
      return applied.ok ? { offer: applied.offer, news: [newsOfPayment(applied.offer, now)] } : unchanged;
    }
    case 'delete': {
      const begun = beginDeletion(offer, now);
      if (!begun.ok) return unchanged;
      if (begun.step === 'deleted') return { offer: begun.offer, news: [deleted(begun.offer, now)] };
      const left = endDeletion(begun.offer, page, now);
      if (!left.ok) throw new Error('a deletion that has begun has an end');
      return left.step === 'deleted' ? { offer: left.offer, news: [deleted(left.offer, now)] } : unchanged;
    }
    case 'tell the end': {
      // As the sweeper selects it: an offer that was deleted before its expiry never ends.
      const isOver = offer.deletedAt === null || offer.deletedAt >= offer.expiryAt;
      if (offer.endAnnouncedAt !== null || now < offer.expiryAt || !isOver) return unchanged;
      return { offer: { ...offer, endAnnouncedAt: now }, news: [ended(offer, now)] };
    }
  }
}

function newsOfPayment(offer: Offer, at: Date): OfferEvent {
  return paymentApplied(offer, paymentOutcome(stateAt(offer, at)), offer.paidAt ?? at, at);
}

function takeInModel(model: LifecycleModel, { command, at, page }: Step, done: Taken): boolean {
  switch (command) {
    case 'pause':
    case 'resume':
    case 'disable':
    case 'enable':
      return model.try(command, at);
    case 'pay':
      return model.try('payment', at);
    case 'delete':
      // A page that is not surely closed leaves the offer alone.
      return (model.stateAt(at) !== 'Awaiting Payment' || page === 'closed') && model.try('deletion', at);
    case 'tell the end':
      return done.news.length > 0;
  }
}
