import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DocumentKey, documentNumber, parseDocumentNumber } from './invoice.ts';

describe('the number of a document', () => {
  it('contains the mode, so that a TEST number is never taken for a LIVE one', () => {
    const numberOf = (series: DocumentKey['series'], mode: DocumentKey['mode'], sequence: bigint) =>
      documentNumber({ series, mode, sequence });
    expect(numberOf('invoice', 'LIVE', 1n)).toBe('INV-000001');
    expect(numberOf('invoice', 'TEST', 1n)).toBe('TEST-000001');
    expect(numberOf('invoice', 'LIVE', 1_234_567n)).toBe('INV-1234567');
    expect(numberOf('credit-note', 'LIVE', 1n)).toBe('CN-000001');
    expect(numberOf('credit-note', 'TEST', 1n)).toBe('TEST-CN-000001');
  });

  it('is parsed back to the same document', () => {
    const keys = fc.record({
      series: fc.constantFrom('invoice' as const, 'credit-note' as const),
      mode: fc.constantFrom('TEST' as const, 'LIVE' as const),
      sequence: fc.bigInt({ min: 1n, max: 10n ** 18n - 1n }),
    });
    fc.assert(fc.property(keys, (key) => expect(parseDocumentNumber(documentNumber(key))).toEqual(key)));
  });

  it.each([
    'INV-1',
    'INV-0000001',
    'INV-000000',
    'inv-000001',
    'LIVE-000001',
    'CN-TEST-000001',
    'CN-000000',
    'TEST-CN-1',
    '-000001',
    'toString-000001',
    'INV-000001 ',
    'INV-00000x',
    '',
  ])('has one valid form: %p is refused', (text) => expect(parseDocumentNumber(text)).toBeNull());
});
