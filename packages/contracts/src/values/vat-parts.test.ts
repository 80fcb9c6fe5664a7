import { expect, test } from '@jest/globals';
import { vatParts } from './vat-parts.ts';

test.each([
  { nets: [10_00n, 10_00n, 10_00n], vat: 6_00n, parts: [2_00n, 2_00n, 2_00n] },
  { nets: [1n, 1n, 1n], vat: 1n, parts: [0n, 1n, 0n] },
  { nets: [0n, 33n, 33n, 33n], vat: 20n, parts: [0n, 7n, 6n, 7n] },
  { nets: [10_00n, 5_00n, 7_01n], vat: 4_40n, parts: [2_00n, 1_00n, 1_40n] },
  { nets: [5_00n, 7_00n], vat: 0n, parts: [0n, 0n] },
  { nets: [0n, 0n], vat: 0n, parts: [0n, 0n] },
])('VAT of $vat for prices of $nets is shared out whole', ({ nets, vat, parts }) => {
  expect(vatParts(nets, vat)).toEqual(parts);
});
