import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { csvOf } from './csv.ts';

const asText = (text: string | null) =>
  csvOf([{ title: 'Title', text: (row: string | null) => row }], [text]);
/** The one cell of the one row. */
const cell = (csv: string) => csv.slice('\uFEFFTitle\r\n'.length, -2);

describe('a CSV file', () => {
  it('begins with a byte order mark, and has its titles and rows in lines that end with CR LF', () => {
    const csv = csvOf(
      [
        { title: 'Title', text: (row: { title: string; clicks: number }) => row.title },
        { title: 'Clicks', number: ({ clicks }) => clicks },
        { title: 'Since', instant: () => new Date('2026-06-01T12:00:00Z') },
      ],
      [{ title: 'Two coffees', clicks: 7 }],
    );
    expect(csv).toBe('\uFEFFTitle,Clicks,Since\r\nTwo coffees,7,2026-06-01T12:00:00.000Z\r\n');
  });

  it.each([
    ['one, two', '"one, two"'],
    ['a "good" one', '"a ""good"" one"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['Zürich ☕', 'Zürich ☕'],
  ])('quotes %j as RFC 4180 says', (text, expected) => {
    expect(cell(asText(text))).toBe(expected);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '=HYPERLINK("https://evil.example";"x")'])(
    'makes the text %j no formula',
    (text) => {
      expect(cell(asText(text)).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  it('keeps numbers as they are, negative ones too, and leaves out what is unknown', () => {
    const csv = csvOf(
      [
        { title: 'Amount', number: (row: `${number}` | null) => row },
        { title: 'At', instant: () => null },
      ],
      ['-12.50', null],
    );
    expect(csv).toBe('\uFEFFAmount,At\r\n-12.50,\r\n,\r\n');
  });

  it('is read back as what was written, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const written = cell(asText(text));
        const read = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
        expect(read.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, '')).toBe(text);
      }),
    );
  });
});
