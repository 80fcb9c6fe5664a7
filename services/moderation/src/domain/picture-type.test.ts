import { describe, expect, it } from '@jest/globals';
import { pictureTypeOf } from './picture-type.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('the type of a picture', () => {
  it('is read from its first bytes', () => {
    expect(pictureTypeOf(bytes('\xff\xd8\xff\xe0\x00\x10JFIF'))).toBe('jpeg');
    expect(pictureTypeOf(bytes('\x89PNG\r\n\x1a\n\x00\x00'))).toBe('png');
    expect(pictureTypeOf(bytes('GIF87a...'))).toBe('gif');
    expect(pictureTypeOf(bytes('GIF89a...'))).toBe('gif');
  });

  it.each([
    ['nothing', ''],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['WebP', 'RIFF\x00\x00\x00\x00WEBPVP8 '],
    ['TIFF', 'II*\x00'],
    ['a PNG whose line ends were converted', '\x89PNG\n\x1a\n\x00'],
    ['a GIF of no known version', 'GIF88a'],
    ['a signature that is cut short', '\xff\xd8'],
  ])('is unknown for %s', (_name, text) => {
    expect(pictureTypeOf(bytes(text))).toBeUndefined();
  });
});
