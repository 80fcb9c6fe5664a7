import { describe, expect, it } from '@jest/globals';
import { MAX_CSV_BYTES, placeOfRow, readOffersCsv, sampleCsv } from './offers-csv.ts';
import { rowFaults } from './row-faults.ts';

const read = (text: string) => readOffersCsv(new TextEncoder().encode(text));
const cellsIn = (text: string) => {
  const result = read(text);
  return result.ok ? result.rows.map(({ number, cells }) => [number, ...cells.values()]) : result.problem;
};
const catalogue = {
  categories: [{ category_id: 4, category_name: 'Food & Drink' }],
  interests: [{ interest_id: 7, interest_name: 'Live Music' }],
};

describe('a file', () => {
  it.each<[string, string, unknown]>([
    ['with commas', 'title,url\na,b', [[2, 'a', 'b']]],
    ['as Excel writes it', '\uFEFFTitle;URL\r\n"a;""b""\r\nc";d\r\n', [[2, 'a;"b"\r\nc', 'd']]],
    ['with empty rows, which count as in a spreadsheet', 'title,url\n\n,\na,\n', [[4, 'a', '']]],
    ['with short rows', 'title,url\na\n', [[2, 'a', '']]],
    [
      'with texts that a spreadsheet would compute',
      "title,url\n'=1+1,''-1\n'a,=2\n",
      [
        [2, '=1+1', "'-1"],
        [3, "'a", '=2'],
      ],
    ],
    ['without rows', 'title,url\n', /no offers/],
    ['with nothing', '', /first row must name the columns/],
    ['without a heading', 'Two for one,x\n', /first row must name the columns/],
    ['with an unknown column', 'title,Titel\na,b', /not known: titel\. Known are label, category_id, title/],
    ['with a column twice', 'title,title\na,b', /column title is there twice/],
    ['with a separator in a cell', 'title,url\na,b,c', /Row 2 has more cells/],
    ['with a quotation mark that never ends', 'title,url\n"a,b', /never closed/],
    ['with 21 rows', `title\n${'a\n'.repeat(21)}`, /21 offers, and at most 20/],
    ['that is too large', `title\n${'a'.repeat(MAX_CSV_BYTES)}`, /too large/],
  ])('%s', (_, text, expected) => {
    if (expected instanceof RegExp) expect(cellsIn(text)).toMatch(expected);
    else expect(cellsIn(text)).toEqual(expected);
  });

  it('in another encoding is refused with what to do', () => {
    const cp1252 = Uint8Array.from(Buffer.from('title\ncaf\u00e9', 'latin1'));
    expect(readOffersCsv(cp1252)).toMatchObject({ problem: expect.stringContaining('CSV UTF-8') });
  });
});

describe('a row', () => {
  const placeOf = (cells: Record<string, string>) =>
    placeOfRow({ number: 2, cells: new Map(Object.entries(cells)) }, null, catalogue);

  it('has names for numbers, decimal commas and times of the computer; what is wrong stays for the service', () => {
    expect(
      placeOf({
        latitude: '51,5',
        longitude: '-0.12',
        title: ' a ',
        category_id: 'food & drink',
        interests: 'live music | 9|x',
        gender: '',
        radius: '£10',
        start_datetime: '2026-06-01 10:00',
        expiry_datetime: '01/06/2026',
      }),
    ).toEqual({
      latitude: 51.5,
      longitude: -0.12,
      label: '',
      title: ' a ',
      category_id: 4,
      interests: [7, '9', 'x'],
      gender: [],
      radius: '£10',
      start_datetime: new Date('2026-06-01T10:00').toISOString(),
      expiry_datetime: '01/06/2026',
    });
    expect(placeOf({ latitude: 'N51' })).toEqual({ latitude: 'N51', longitude: '', label: '' });
  });

  it('of the sample can be read', () => {
    expect(read(sampleCsv(catalogue, new Date()))).toMatchObject({
      ok: true,
      rows: [{ number: 2 }, { number: 3 }],
    });
  });
});

describe('a refusal', () => {
  it.each<[string, unknown]>([
    [
      'places[0].title is missing; places[1].latitude must be a number from -90 to 90.',
      [
        [2, 'title', 'is missing'],
        [5, 'latitude', 'is missing, or is no number such as 51.5074: it must be from -90 to 90'],
      ],
    ],
    [
      'places[0] "a: b", places[1]: No users match the targeting',
      [
        [2, '', 'No users match the targeting'],
        [5, '', 'No users match the targeting'],
      ],
    ],
    ['places[1]: start_datetime must not be in the past', [[5, 'start_datetime', 'must not be in the past']]],
    ['places[1].gender must be Male', [[5, 'gender', 'must be Male']]],
    ['places[1] is the same place as places[0]', [[5, '', 'is the same place as row 2']]],
    [
      'category_id must be an id from GET /categories',
      [[null, 'category_id', 'must be the name or the number of a category']],
    ],
    [
      'image is missing',
      [[null, '', 'image is missing: choose a picture above, or fill in image or image_offer_id']],
    ],
    [
      'places[1].image must be the file name of a picture that is sent with the form as image',
      [[5, '', 'image names a picture that is not among those chosen above']],
    ],
    ['The balance is too low', [[null, '', 'The balance is too low']]],
  ])('%s', (message, expected) => {
    expect(rowFaults(message, [2, 5]).map(({ row, column, text }) => [row, column, text])).toEqual(expected);
  });
});
