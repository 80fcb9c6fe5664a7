import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { GREATEST_PICTURE_PIXELS, namedMode, type PictureFacts, readOfferForm } from './offer-form.ts';

const right: Record<string, readonly string[]> = {
  category_id: ['1'],
  title: ['Two for one'],
  description: ['Two coffees'],
  terms_and_conditions: ['Once a day'],
  advertised_name: ['Café Ω'],
  url: ['https://cafe.example/offer?x=1'],
  'location[]': ['51.5', '-0.12'],
  radius: ['5'],
  'gender[]': ['Female', 'Male', 'Female'],
  'interests[]': ['2', '1', '2'],
  start_datetime: ['2026-06-01T10:00:00Z'],
  expiry_datetime: ['2026-06-01T12:01:00+02:00'],
  payment_method: ['E'],
  environment: ['LIVE'],
};
const picture: PictureFacts = { format: 'png', pixels: GREATEST_PICTURE_PIXELS };

function read(changes: Record<string, readonly string[]> = {}, given: PictureFacts | null = picture) {
  return readOfferForm(new Map(Object.entries({ ...right, ...changes })), given);
}

function faultsOf(
  changes: Record<string, readonly string[]>,
  given?: PictureFacts | null,
): readonly string[] {
  const result = read(changes, given);
  return result.ok ? [] : result.faults;
}

describe('a right form', () => {
  it('is read into what the offer will be', () => {
    expect(read()).toEqual({
      ok: true,
      form: {
        categoryId: 1,
        title: 'Two for one',
        description: 'Two coffees',
        termsAndConditions: 'Once a day',
        advertisedName: 'Café Ω',
        url: 'https://cafe.example/offer?x=1',
        latitude: 51.5,
        longitude: -0.12,
        radiusMiles: 5,
        gender: ['Male', 'Female'],
        interests: [2, 1],
        startAt: new Date('2026-06-01T10:00:00Z'),
        expiryAt: new Date('2026-06-01T10:01:00Z'),
        paymentMethod: 'E',
      },
    });
  });

  it('may leave out what is optional, or send it empty', () => {
    const none = { terms_and_conditions: [], advertised_name: [' '], 'gender[]': [''], 'interests[]': [''] };
    expect(read(none)).toMatchObject({
      ok: true,
      form: { termsAndConditions: '', advertisedName: null, gender: [], interests: [] },
    });
  });

  it('takes All, alone or among others, for every gender', () => {
    expect(read({ 'gender[]': ['Male', 'All'] })).toMatchObject({ ok: true, form: { gender: [] } });
  });

  it('counts code points, not bytes or UTF-16 units', () => {
    expect(faultsOf({ title: ['😀'.repeat(40)] })).toEqual([]);
    expect(faultsOf({ title: ['😀'.repeat(41)] })).toEqual([
      'title must have at most 40 characters, it has 41',
    ]);
  });
});

describe('a wrong field is named', () => {
  it.each([
    ['category_id', ['x']],
    ['category_id', ['1.5']],
    ['category_id', ['99999999999999999999']],
    ['title', [' ']],
    ['title', ['x'.repeat(41)]],
    ['title', ['a\0b']],
    ['description', ['']],
    ['description', ['x'.repeat(501)]],
    ['terms_and_conditions', ['x'.repeat(501)]],
    ['advertised_name', ['x'.repeat(101)]],
    ['advertised_name', ['http://cafe.example']],
    ['advertised_name', [' HTTPS://cafe.example']],
    ['advertised_name', ['WWW.cafe.example']],
    ['advertised_name', ['<b>Cafe</b>']],
    ['advertised_name', ['Caf&eacute;']],
    ['advertised_name', ['Cafe\nBar']],
    ['advertised_name', ['Cafe\u2028Bar']],
    ['url', ['']],
    ['url', ['cafe.example']],
    ['url', ['ftp://cafe.example']],
    ['url', ['javascript:alert(1)']],
    ['url', ['https://user@cafe.example']],
    ['url', ['https://user:word@cafe.example']],
    ['url', ['https:///cafe.example']],
    ['url', ['https://cafe.example/a b']],
    ['url', [`https://cafe.example/${'x'.repeat(2_028)}`]],
    ['location[]', []],
    ['location[]', ['51.5']],
    ['location[]', ['51.5', '-0.1', '3']],
    ['location[]', ['91', '0']],
    ['location[]', ['0', '180.1']],
    ['location[]', ['0x10', '1e1']],
    ['location[]', ['NaN', 'Infinity']],
    ['radius', ['4']],
    ['radius', ['31']],
    ['radius', ['5.5']],
    ['radius', ['']],
    ['gender[]', ['male']],
    ['gender[]', ['All', 'Robot']],
    ['interests[]', ['1', 'x']],
    ['interests[]', ['-1']],
    ['gender', ['Female']],
    ['interests', ['1']],
    ['start_datetime', ['2026-06-01']],
    ['start_datetime', ['2026-06-01T10:00:00']],
    ['start_datetime', ['2026-02-30T10:00:00Z']],
    ['expiry_datetime', ['9999-12-31T23:59:59-10:00']],
    ['expiry_datetime', ['2026-06-01T10:00:59Z']],
    ['payment_method', ['C']],
    ['environment', ['live']],
    ['environment', []],
  ])('%s = %j', (name, values) => {
    const faults = faultsOf({ [name]: values });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(name);
  });

  it('and so is every other in the same answer', () => {
    const faults = faultsOf({ title: [], radius: ['99'], payment_method: [], start_datetime: ['x'] }, null);
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'title',
      'image',
      'radius',
      'start_datetime',
      'payment_method',
    ]);
  });
});

describe('the picture', () => {
  it('must be there, of a known type and within 50 megapixels', () => {
    expect(faultsOf({}, null)).toEqual(['image is missing']);
    expect(faultsOf({}, 'unknown')).toEqual(['image must be a JPG, PNG or GIF']);
    expect(faultsOf({}, { format: 'gif', pixels: GREATEST_PICTURE_PIXELS + 1 })[0]).toContain(
      '50 megapixels',
    );
  });
});

describe('the named mode', () => {
  it('is exactly TEST or LIVE', () => {
    expect(namedMode(new Map([['environment', ['TEST']]]))).toBe('TEST');
    expect(namedMode(new Map([['environment', ['test']]]))).toBeNull();
    expect(namedMode(new Map())).toBeNull();
  });
});

describe('whatever is sent', () => {
  it('is either read or refused with at least one fault, and never thrown at', () => {
    const names = fc.constantFrom(...Object.keys(right));
    const spoiled = fc.dictionary(names, fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }));
    fc.assert(
      fc.property(spoiled, (changes) => {
        const result = read(changes);
        expect(result.ok || result.faults.length > 0).toBe(true);
      }),
    );
  });
});
