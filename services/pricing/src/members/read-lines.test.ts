import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { type Line, readLines } from './read-lines.ts';

async function linesOf(
  chunks: Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>,
  maxBytes = 100,
): Promise<Line[]> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) yield Buffer.from(chunk);
  }
  const lines: Line[] = [];
  for await (const line of readLines(bytes(), maxBytes)) lines.push(line);
  return lines;
}

describe('lines of a stream', () => {
  it('are numbered from 1; empty lines count but are left out; the last needs no line end', async () => {
    const expected = [
      { number: 1, text: 'one' },
      { number: 3, text: 'three' },
    ];
    expect(await linesOf(['one\n\nthree\n'])).toEqual(expected);
    expect(await linesOf(['one\r\n\r\nthree'])).toEqual(expected);
    expect(await linesOf([])).toEqual([]);
  });

  it('are the same for every way to cut the stream into chunks, even within a character', async () => {
    const line = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => /^[^\r\n]*\S$/.test(text));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(200)), async (texts, cuts) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
        const places = [
          0,
          ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b),
          bytes.length,
        ];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const expected = texts.map((text, index) => ({ number: index + 1, text: text.trim() }));
        expect(await linesOf(chunks, 1_000)).toEqual(expected);
      }),
    );
  });

  it('above the bound have no text, and without an end are not read beyond it', async () => {
    expect(await linesOf(['short\n', 'x'.repeat(101), '\nnext\n'])).toEqual([
      { number: 1, text: 'short' },
      { number: 2, text: null },
    ]);
    expect(await linesOf([`${'x'.repeat(100)}\n`])).toEqual([{ number: 1, text: 'x'.repeat(100) }]);
    let chunks = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        chunks += 1;
        yield Buffer.alloc(60, 'x');
      }
    }
    expect(await linesOf(endless())).toEqual([{ number: 1, text: null }]);
    expect(chunks).toBe(2);
  });
});
