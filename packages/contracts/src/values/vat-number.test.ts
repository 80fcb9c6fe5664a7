import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { countries } from './countries.ts';
import { checkVatNumber, vatNumberWords } from './vat-number.ts';

/** Country, a number as it is written on invoices, how it is kept, and one that is wrong by one character. */
const examples = [
  ['AT', 'ATU 1358 5627', 'ATU13585627', 'AT13585627'],
  ['BE', 'BE 0428.759.497', 'BE0428759497', 'BE2428759497'],
  ['BG', '175074752', 'BG175074752', 'BG17507475'],
  ['CY', 'CY-10259033P', 'CY10259033P', 'CY102590337'],
  ['CZ', 'cz25123891', 'CZ25123891', 'CZ2512389'],
  ['DE', 'DE 136 695 976', 'DE136695976', 'DE13669597'],
  ['DK', 'DK 13 58 56 28', 'DK13585628', 'DK1358562'],
  ['EE', 'EE100931558', 'EE100931558', 'EE10093155'],
  ['ES', 'ES B58378431', 'ESB58378431', 'ES583784311'],
  ['FI', 'FI 2077474-0', 'FI20774740', 'FI2077474'],
  ['FR', 'FR 40 303 265 045', 'FR40303265045', 'FR303265045'],
  ['GB', '980 7806 84', 'GB980780684', 'GB980780685'],
  ['GR', 'EL 023456780', 'EL023456780', 'GR023456780'],
  ['HR', 'HR33392005961', 'HR33392005961', 'HR3339200596'],
  ['HU', '12892312', 'HU12892312', 'HU1289231'],
  ['IE', 'IE 6433435F', 'IE6433435F', 'IE64334351'],
  ['IT', 'IT 00743110157', 'IT00743110157', 'IT0074311015'],
  ['LT', 'LT119511515', 'LT119511515', 'LT1195115150'],
  ['LU', 'LU 15027442', 'LU15027442', 'LU150274422'],
  ['LV', 'LV 4000 3521 600', 'LV40003521600', 'LV4000352160'],
  ['MT', 'MT 1167-9112', 'MT11679112', 'MT1167911'],
  ['NL', 'NL 0044.95.445.B.01', 'NL004495445B01', 'NL004495445C01'],
  ['PL', 'PL 856-734-62-15', 'PL8567346215', 'PL856734621'],
  ['PT', 'PT 501 964 843', 'PT501964843', 'PT50196484'],
  ['RO', 'RO 18547290', 'RO18547290', 'RO1'],
  ['SE', 'SE 1234 5678 97 01', 'SE123456789701', 'SE1234567897'],
  ['SI', 'SI 5022 3054', 'SI50223054', 'SI5022305'],
  ['SK', 'SK 202 274 96 19', 'SK2022749619', 'SK202274961'],
] as const;

describe.each(examples)('a VAT number of %s', (country, written, kept, wrong) => {
  it('is kept with its prefix and without blanks, however it is written', () => {
    expect(checkVatNumber(written, country)).toEqual({ ok: true, value: kept });
    expect(checkVatNumber(kept, country)).toEqual({ ok: true, value: kept });
  });

  it('is refused in another form, with words that say what is expected or what to compare', () => {
    const words = country === 'GB' ? 'check digits' : vatNumberWords(country);
    expect(checkVatNumber(wrong, country)).toEqual({ ok: false, message: expect.stringContaining(words) });
  });
});

describe('a British VAT number', () => {
  const isTaken = (text: string) => checkVatNumber(text, 'GB').ok;

  it.each([
    'GB980780684',
    // The series of 2010, whose check digits are 55 less.
    'GB100000034',
    'GB980780684001',
    'XI980780684',
    'GBGD001',
    'GBHA599',
  ])('may be %s', (text) => expect(checkVatNumber(text, 'GB')).toEqual({ ok: true, value: text }));

  it.each(['GBGD500', 'GBHA499', 'GB98078068', 'IE980780684', 'GB980780684 01'])('is not %s', (text) =>
    expect(checkVatNumber(text, 'GB')).toEqual({
      ok: false,
      message: expect.stringContaining(
        'must be a VAT number (United Kingdom): GB (or XI for Northern Ireland)',
      ),
    }),
  );

  it('with one wrong digit is refused', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9_999_999 }),
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 1, max: 9 }),
        (number, at, by) => {
          const seven = String(number).padStart(7, '0');
          const checked = Array.from(
            { length: 97 },
            (_, check) => `${seven}${String(check).padStart(2, '0')}`,
          );
          // One of the old series and one of the new.
          const taken = checked.filter(isTaken);
          expect(taken).toHaveLength(2);
          const [first = ''] = taken;
          const wrong = `${first.slice(0, at)}${(Number(first[at]) + by) % 10}${first.slice(at + 1)}`;
          const change = ((Number(wrong[at]) - Number(first[at])) * (8 - at) + 970) % 97;
          // A change by the difference between the two series may give a number of the other one.
          fc.pre(change !== 55 && change !== 42);
          expect(isTaken(wrong)).toBe(false);
        },
      ),
    );
  });
});

describe('any text', () => {
  it('is refused or becomes a short number of capitals and digits, which is taken again unchanged', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[A-Z]{0,3}[0-9A-Z .-]{0,16}$/));
    fc.assert(
      fc.property(text, fc.constantFrom(...countries), (any, country) => {
        const checked = checkVatNumber(any, country);
        if (!checked.ok) return;
        expect(checked.value).toMatch(/^[A-Z\d+*]{4,20}$/);
        expect(checkVatNumber(checked.value, country)).toEqual(checked);
      }),
    );
  });

  it('is a tax number where no form is known, if it has a digit and no other characters', () => {
    expect(checkVatNumber('CHE-123.456.789 MWST', 'CH')).toEqual({ ok: true, value: 'CHE123456789MWST' });
    expect(checkVatNumber('12-3456789', 'US')).toEqual({ ok: true, value: '123456789' });
    for (const text of ['', 'none', '123', '1'.repeat(21), '<b>1234</b>', 'Ω1234'])
      expect(checkVatNumber(text, 'US')).toEqual({
        ok: false,
        message: expect.stringContaining('4 to 20 letters and digits'),
      });
  });
});
