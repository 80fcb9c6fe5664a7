import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import type { RecordedReversal } from '../payments/reversal.ts';
import {
  type Amounts,
  creditedBy,
  creditNotesDue,
  type IssuedCreditNote,
  vatCredited,
} from './credit-note.ts';
import { vatOnCardPayment } from './vat.ts';

const NOTHING: Amounts = { netMinor: 0n, vatMinor: 0n };
const grossOf = ({ netMinor, vatMinor }: Amounts) => netMinor + vatMinor;
const invoiced = (netMinor: bigint, country = 'GB') => ({
  book: { organisationId: 1, mode: 'LIVE', currency: 'GBP' } as const,
  netMinor,
  vatMinor: vatOnCardPayment(netMinor, country),
});

/** What the notes of these refunds credit together, after each of them. */
function creditedInTurn(invoice: Amounts, parts: readonly bigint[]): Amounts[] {
  let credited = NOTHING;
  return parts.map((amountMinor) => {
    const vatMinor = vatCredited(invoice, credited, amountMinor);
    const netMinor = amountMinor - vatMinor;
    expect([netMinor >= 0n, vatMinor >= 0n]).toEqual([true, true]);
    credited = { netMinor: credited.netMinor + netMinor, vatMinor: credited.vatMinor + vatMinor };
    return credited;
  });
}

const invoices = fc
  .record({
    netMinor: fc.oneof(fc.bigInt(1n, 40n), fc.bigInt(1n, 10n ** 12n)),
    country: fc.constantFrom('GB', 'PL'),
  })
  .map(({ netMinor, country }) => invoiced(netMinor, country));
/** An invoice, and parts that make its total. */
const wholeRefunds = invoices.chain((invoice) =>
  fc.array(fc.bigInt(1n, grossOf(invoice)), { maxLength: 12 }).map((cuts) => {
    const places = [...new Set([0n, ...cuts, grossOf(invoice)])].toSorted((a, b) => (a < b ? -1 : 1));
    return { invoice, parts: places.slice(1).map((place, index) => place - (places[index] as bigint)) };
  }),
);

describe('the VAT in a credit note', () => {
  it('is the share of the refund', () => {
    const invoice = invoiced(10_00n);
    expect(vatCredited(invoice, NOTHING, 3_00n)).toBe(50n);
    expect(vatCredited(invoice, NOTHING, 12_00n)).toBe(2_00n);
    expect(vatCredited(invoiced(10_00n, 'PL'), NOTHING, 3_00n)).toBe(0n);
  });

  it('of parts that are the whole payment is exactly the VAT of the invoice, and so is the net', () => {
    fc.assert(
      fc.property(wholeRefunds, ({ invoice: { netMinor, vatMinor }, parts }) => {
        expect(creditedInTurn({ netMinor, vatMinor }, parts).at(-1)).toEqual({ netMinor, vatMinor });
      }),
    );
  });

  it('is, with all earlier ones, never further than half a minor unit from the share of what was refunded', () => {
    fc.assert(
      fc.property(wholeRefunds, ({ invoice, parts }) => {
        for (const credited of creditedInTurn(invoice, parts)) {
          const share = invoice.vatMinor * grossOf(credited);
          const error = 2n * (credited.vatMinor * grossOf(invoice) - share);
          expect(error <= grossOf(invoice) && error > -grossOf(invoice)).toBe(true);
        }
      }),
    );
  });
});

const refund = (reversalId: string, amountMinor: bigint): RecordedReversal => ({
  reversalId,
  kind: 'refund',
  mode: 'LIVE',
  paymentIntentId: 'pi_1',
  amountMinor,
  currency: 'GBP',
  status: 'succeeded',
  reason: null,
  asOf: new Date(0),
  taken: true,
  returned: false,
  succeeded: true,
  takenPosted: true,
  returnedPosted: false,
});
const failed = (one: RecordedReversal) => ({ ...one, returned: true, returnedPosted: true });

/** As the database does it: the next numbers. */
function issue(
  invoice: ReturnType<typeof invoiced>,
  reversals: readonly RecordedReversal[],
  issued: readonly IssuedCreditNote[] = [],
): IssuedCreditNote[] {
  const all = [...issued];
  for (const note of creditNotesDue(invoice, reversals, issued))
    all.push({ ...note, sequence: BigInt(all.length + 1) });
  return all;
}

describe('the credit notes of a payment', () => {
  const invoice = invoiced(10_00n);
  const whole = refund('re_1', 12_00n);
  const note = { cause: 'refund re_1 taken', cancels: null, netMinor: 10_00n, vatMinor: 2_00n, sequence: 1n };

  it('are one for each refund, however often it is looked at', () => {
    const parts = [refund('re_1', 3_00n), refund('re_2', 4_00n)];
    const issued = issue(invoice, parts);
    expect(issued).toMatchObject([
      { cause: 'refund re_1 taken', netMinor: 2_50n, vatMinor: 50n },
      { cause: 'refund re_2 taken', netMinor: 3_33n, vatMinor: 67n },
    ]);
    expect(creditNotesDue(invoice, parts, issued)).toEqual([]);
  });

  it.each([
    ['a refund that has not succeeded yet', { ...whole, succeeded: false }],
    ['a refund that failed before it was heard of as a success', failed(whole)],
    [
      'a refund that is not posted, because its payment has another currency',
      { ...whole, takenPosted: false },
    ],
    ['a refund of nothing', { ...whole, amountMinor: 0n }],
    ['a dispute', { ...whole, kind: 'dispute' as const, succeeded: false, status: 'lost' }],
  ])('are none for %s', (_what, reversal) => {
    expect(creditNotesDue(invoice, [reversal], [])).toEqual([]);
  });

  it('are cancelled once, whole, when the refund fails afterwards', () => {
    const cancelled = issue(invoice, [failed(whole)], [note]);
    expect(cancelled[1]).toEqual({ ...note, cause: 'refund re_1 returned', cancels: 1n, sequence: 2n });
    expect(creditedBy(cancelled)).toEqual(NOTHING);
    expect(creditNotesDue(invoice, [failed(whole)], cancelled)).toEqual([]);
  });

  it('wait while a refund is more than what is left, until an earlier refund is heard to have failed', () => {
    const second = refund('re_2', 12_00n);
    expect(creditNotesDue(invoice, [whole, second], [note])).toEqual([]);
    const issued = issue(invoice, [failed(whole), second], [note]);
    expect(issued.map(({ cause }) => cause)).toEqual([
      'refund re_1 taken',
      'refund re_1 returned',
      'refund re_2 taken',
    ]);
    expect(creditedBy(issued)).toEqual({ netMinor: 10_00n, vatMinor: 2_00n });
  });

  it('never have a VAT below zero, although a cancellation has left a minor unit of VAT too much', () => {
    const small = invoiced(10n);
    const [two, one] = [refund('re_1', 2n), refund('re_2', 1n)];
    const issued = issue(small, [two, one]);
    expect(issued.map(({ vatMinor }) => vatMinor)).toEqual([0n, 1n]);
    const later = issue(small, [failed(two), one, refund('re_3', 1n)], issued);
    expect(later.at(-1)).toMatchObject({ netMinor: 1n, vatMinor: 0n });
  });

  it('never credit more than the invoice, and in the end exactly the refunds that succeeded, in whatever order news comes', () => {
    /** Each part is refunded, perhaps fails, and is perhaps refunded again; not all of it is heard of. */
    const stories = wholeRefunds.chain(({ invoice: sold, parts }) =>
      fc.record({
        sold: fc.constant(sold),
        news: fc.shuffledSubarray(
          parts.flatMap((part, index) => {
            const first = refund(`re_${index}`, part);
            return [first, failed(first), refund(`re_${index} again`, part)];
          }),
        ),
      }),
    );
    fc.assert(
      fc.property(stories, ({ sold, news }) => {
        const known = new Map<string, RecordedReversal>();
        let issued: IssuedCreditNote[] = [];
        for (const reversal of news) {
          const isFailed = known.get(reversal.reversalId)?.returned === true;
          known.set(reversal.reversalId, isFailed ? failed(reversal) : reversal);
          issued = issue(sold, [...known.values()], issued);
          const { netMinor, vatMinor } = creditedBy(issued);
          expect([netMinor >= 0n, netMinor <= sold.netMinor]).toEqual([true, true]);
          expect([vatMinor >= 0n, vatMinor <= sold.vatMinor]).toEqual([true, true]);
        }
        const kept = [...known.values()].filter(({ returned }) => !returned);
        const keptMinor = kept.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
        if (keptMinor > grossOf(sold)) return;
        expect(grossOf(creditedBy(issued))).toBe(keptMinor);
        if (keptMinor === grossOf(sold))
          expect(creditedBy(issued)).toEqual({ netMinor: sold.netMinor, vatMinor: sold.vatMinor });
        expect(new Set(issued.map(({ cause }) => cause)).size).toBe(issued.length);
      }),
    );
  });
});
