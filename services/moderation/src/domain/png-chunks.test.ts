import { describe, expect, it } from '@jest/globals';
import { pngChunk } from '@offer-ads/testing/pictures/pictures';
import { fc } from '@offer-ads/testing/profile';
import { essentialPng } from './png-chunks.ts';

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const chunk = (kind: string, bytes = 3) => pngChunk(kind, Buffer.alloc(bytes, 7));
const fileOf = (...chunks: Buffer[]) => Buffer.concat([signature, ...chunks]);
describe('the essential chunks of a PNG', () => {
  it('are the critical ones, transparency, profile, orientation and density', () => {
    const kinds = ['IHDR', 'iCCP', 'pHYs', 'PLTE', 'tRNS', 'eXIf', 'IDAT', 'IDAT', 'IEND'];
    const needless = ['tEXt', 'zTXt', 'iTXt', 'tIME', 'acTL', 'fdAT', 'prVt'];
    const [first = '', ...rest] = kinds;
    const whole = fileOf(
      chunk(first),
      ...needless.map((kind) => chunk(kind)),
      ...rest.map((kind) => chunk(kind)),
    );
    expect(Buffer.from(essentialPng(whole)).equals(fileOf(...kinds.map((kind) => chunk(kind))))).toBe(true);
  });

  it('have each ancillary kind once, and none of more than a megabyte', () => {
    const whole = fileOf(
      chunk('IHDR'),
      chunk('iCCP', 2 ** 20 + 1),
      chunk('iCCP'),
      chunk('iCCP'),
      chunk('IEND'),
    );
    expect(Buffer.from(essentialPng(whole)).equals(fileOf(chunk('IHDR'), chunk('iCCP'), chunk('IEND')))).toBe(
      true,
    );
  });

  it('end with the picture, whatever follows in the file', () => {
    const whole = fileOf(chunk('IHDR'), chunk('IEND'));
    expect(Buffer.from(essentialPng(Buffer.concat([whole, chunk('IDAT')]))).equals(whole)).toBe(true);
  });

  it('are never more than the file, whatever its bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (rest) => {
        const file = Buffer.concat([signature, rest]);
        expect(essentialPng(file).length).toBeLessThanOrEqual(file.length);
      }),
    );
  });
});
