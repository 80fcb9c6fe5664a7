import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { invoiceNumber, parseInvoiceNumber } from './invoice.ts';

describe('the number of an invoice', () => {
  it('contains the mode, so that a TEST number is never taken for a LIVE one', () => {
    expect(invoiceNumber('LIVE', 1n)).toBe('INV-000001');
    expect(invoiceNumber('TEST', 1n)).toBe('TEST-000001');
    expect(invoiceNumber('LIVE', 1_234_567n)).toBe('INV-1234567');
  });

  it('is parsed back to the same invoice', () => {
    const places = fc.record({
      mode: fc.constantFrom('TEST' as const, 'LIVE' as const),
      sequence: fc.bigInt({ min: 1n, max: 10n ** 18n - 1n }),
    });
    fc.assert(
      fc.property(places, (place) =>
        expect(parseInvoiceNumber(invoiceNumber(place.mode, place.sequence))).toEqual(place),
      ),
    );
  });

  it.each([
    'INV-1',
    'INV-0000001',
    'INV-000000',
    'inv-000001',
    'LIVE-000001',
    'INV-000001 ',
    'INV-00000x',
    '',
  ])('has one valid form: %p is refused', (text) => expect(parseInvoiceNumber(text)).toBeNull());
});
