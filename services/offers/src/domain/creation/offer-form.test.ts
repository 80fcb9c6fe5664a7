import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import {
  GREATEST_PICTURE_PIXELS,
  namedMode,
  type OfferForm,
  type PictureFacts,
  readOfferForm,
} from './offer-form.ts';

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
const picture: PictureFacts = { type: 'png', width: GREATEST_PICTURE_PIXELS / 2, height: 2, frames: 1 };

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

  it.each([
    ['an emoji is one', '😀'],
    ['a letter with an accent of its own is two', 'e\u0301'],
    ['a family is seven', '👨\u200d👩\u200d👧\u200d👦'],
    ['a flag is two', '🇬🇧'],
  ])('is measured in code points: %s', (_, text) => {
    const points = Array.from(text).length;
    const longest = text + 'x'.repeat(40 - points);
    expect(faultsOf({ title: [longest] })).toEqual([]);
    expect(faultsOf({ title: [`${longest}x`] })).toEqual([
      'title must have at most 40 characters, it has 41',
    ]);
  });

  it('keeps every text as it was sent', () => {
    const sent = { title: ['  <b>\t\u202eeno\u202c '], description: ['a\r\nb'], terms_and_conditions: [' '] };
    expect(read(sent)).toMatchObject({
      ok: true,
      form: { title: sent.title[0], description: sent.description[0], termsAndConditions: ' ' },
    });
  });

  it.each([
    'http://a',
    'HTTPS://CAFE.EXAMPLE',
    'https://cafe.example:8443/x?y=z#top',
    'https://cafe.example.',
    'https://café.example/käse?q=ö',
    'https://xn--caf-dma.example',
    'https://[2001:db8::1]:80/x',
    'http://192.0.2.1/',
    'https://cafe.example/user@host',
    'https://cafe.example?mail=a@b.example',
    `https://cafe.example/${'x'.repeat(2_027)}`,
    `https://cafe.example/${'😀'.repeat(2_027)}`,
  ])('may have the address %s', (url) => {
    expect(read({ url: [url] })).toMatchObject({ ok: true, form: { url } });
  });

  it.each([
    ['51.5', '-0.1', 51.5, -0.1],
    ['90', '180', 90, 180],
    ['-90.0', '-180.', -90, -180],
    ['+.5', '1e-05', 0.5, 0.000_01],
    ['5.15E1', '-0', 51.5, -0],
    ['51.507400000000000000000000000000', '0', 51.5074, 0],
  ])('may be at %s, %s', (latitude, longitude, north, east) => {
    expect(read({ 'location[]': [latitude, longitude] })).toMatchObject({
      ok: true,
      form: { latitude: north, longitude: east },
    });
  });

  it('may have each gender and radius that the specification lists', () => {
    for (const gender of ['Male', 'Female', 'Non-binary'])
      expect(read({ 'gender[]': [gender] })).toMatchObject({ ok: true, form: { gender: [gender] } });
    for (let radius = 5; radius <= 30; radius += 1)
      expect(read({ radius: [`${radius}`] })).toMatchObject({ ok: true, form: { radiusMiles: radius } });
  });

  it('may name ids as large as the store keeps', () => {
    const most = '2147483647';
    expect(read({ category_id: [most], 'interests[]': [most] })).toMatchObject({
      ok: true,
      form: { categoryId: 2_147_483_647, interests: [2_147_483_647] },
    });
  });
});

describe('a wrong field is named', () => {
  it.each([
    ['category_id', ['x']],
    ['category_id', ['1.5']],
    ['category_id', ['99999999999999999999']],
    ['category_id', ['2147483648']],
    ['category_id', ['0']],
    ['category_id', ['-1']],
    ['category_id', ['01']],
    ['category_id', [' 1']],
    ['category_id', ['1e0']],
    ['category_id', ['\u0661']],
    ['title', []],
    ['title', [' ']],
    ['title', ['\u200b\u00ad\ufeff']],
    ['title', ['x'.repeat(41)]],
    ['title', ['a\0b']],
    ['description', ['']],
    ['description', ['x'.repeat(501)]],
    ['terms_and_conditions', ['x'.repeat(501)]],
    ['advertised_name', ['x'.repeat(101)]],
    ['advertised_name', ['http://cafe.example']],
    ['advertised_name', [' HTTPS://cafe.example']],
    ['advertised_name', ['WWW.cafe.example']],
    ['advertised_name', ['\u200bhttp://cafe.example']],
    ['advertised_name', ['\u00ad\ufeff www.cafe.example']],
    ['advertised_name', ['Cafe\tBar']],
    ['advertised_name', ['Cafe\u001b[2J']],
    ['advertised_name', ['Cafe\u202egpj']],
    ['advertised_name', ['Cafe\u2067gpj']],
    ['advertised_name', ['Cafe\rBar']],
    ['advertised_name', ['Cafe\u0085Bar']],
    ['advertised_name', ['Caf&#233;']],
    ['advertised_name', ['Cafe <']],
    ['advertised_name', ['<b>Cafe</b>']],
    ['advertised_name', ['Caf&eacute;']],
    ['advertised_name', ['Cafe\nBar']],
    ['advertised_name', ['Cafe\u2028Bar']],
    ['url', []],
    ['url', ['']],
    ['url', [' ']],
    ['url', ['cafe.example']],
    ['url', ['//cafe.example']],
    ['url', ['/two-for-one']],
    ['url', ['ftp://cafe.example']],
    ['url', ['javascript:alert(1)']],
    ['url', ['JavaScript://cafe.example/%0aalert(1)']],
    ['url', ['data:text/html,x']],
    ['url', ['file:///etc/passwd']],
    ['url', ['blob:https://cafe.example/x']],
    ['url', ['https:cafe.example']],
    ['url', ['https:/cafe.example']],
    ['url', ['https:///cafe.example']],
    ['url', ['https://']],
    ['url', ['https://?x']],
    ['url', ['https://#x']],
    ['url', ['https://user@cafe.example']],
    ['url', ['https://user:word@cafe.example']],
    ['url', ['https://@cafe.example']],
    ['url', ['https://:@cafe.example']],
    ['url', ['https://cafe.example%40evil.example@bad.example']],
    ['url', ['https:\\\\cafe.example']],
    ['url', ['https://cafe.example\\@evil.example']],
    ['url', ['https://cafe.example/a\\b']],
    ['url', ['https://cafe.example/a b']],
    ['url', [' https://cafe.example']],
    ['url', ['https://cafe.example\n']],
    ['url', ['java\tscript:alert(1)']],
    ['url', ['https://cafe.example/\u0000']],
    ['url', ['https://cafe.example/\u0085']],
    ['url', ['https://cafe.example/\u202egpj.exe']],
    ['url', ['https://[::1']],
    ['url', ['https://[::g]/']],
    ['url', ['https://cafe.example:99999']],
    ['url', ['https://cafe.example:http']],
    ['url', ['https://a..b^c']],
    ['url', ['https://999.999.999.999']],
    ['url', ['https://%00']],
    ['url', [`https://cafe.example/${'x'.repeat(2_028)}`]],
    ['url', [`https://cafe.example/${'😀'.repeat(2_028)}`]],
    ['location[]', []],
    ['location[]', ['51.5']],
    ['location[]', ['51.5', '-0.1', '3']],
    ['location[]', ['91', '0']],
    ['location[]', ['0', '180.1']],
    ['location[]', ['90.0000001', '0']],
    ['location[]', ['0', '-180.0000001']],
    ['location[]', ['', '51.5', '-0.1']],
    ['location[]', ['51.5', '']],
    ['location[]', [' 51.5', '-0.1']],
    ['location[]', ['51,5', '-0,1']],
    ['location[]', ['51.5,-0.1']],
    ['location[]', ['0x10', '1']],
    ['location[]', ['1e400', '0']],
    ['location[]', ['.', '0']],
    ['location[]', ['1_0', '0']],
    ['location[]', ['NaN', 'Infinity']],
    ['radius', ['4']],
    ['radius', ['31']],
    ['radius', ['5.5']],
    ['radius', ['-5']],
    ['radius', ['+5']],
    ['radius', ['1e1']],
    ['radius', [' 10']],
    ['radius', ['\u0661\u0660']],
    ['radius', ['']],
    ['gender[]', ['male']],
    ['gender[]', ['All', 'Robot']],
    ['interests[]', ['1', 'x']],
    ['interests[]', ['-1']],
    ['interests[]', ['0']],
    ['interests[]', ['2147483648']],
    ['interests[]', ['1,2']],
    ['interests[]', ['[1]']],
    ['gender[]', ['["Male"]']],
    ['gender[]', ['Male,Female']],
    ['gender[]', ['\u041cale']],
    ['gender', ['Female']],
    ['interests', ['1']],
    ['gender[0]', ['Female']],
    ['interests[0]', ['1']],
    ['interests[ ]', ['1']],
    ['Gender[]', ['Female']],
    ['genders[]', ['Female']],
    ['interest[]', ['1']],
    [' gender[] ', ['Female']],
    ['gender[][]', ['Female']],
    ['location', ['51.5,-0.1']],
    ['location[0]', ['51.5']],
    ['start_datetime', ['2026-06-01']],
    ['start_datetime', ['2026-06-01T10:00:00']],
    ['start_datetime', []],
    ['start_datetime', ['1780308000']],
    ['start_datetime', ['2026-06-01 10:00:00Z']],
    ['start_datetime', ['Mon, 01 Jun 2026 10:00:00 GMT']],
    ['start_datetime', ['2026-06-01T24:00:00Z']],
    ['start_datetime', ['2026-06-01T10:00:60Z']],
    ['start_datetime', ['\u0662026-06-01T10:00:00Z']],
    ['expiry_datetime', []],
    ['expiry_datetime', ['2026-06-01T10:00:59.999Z']],
    ['expiry_datetime', ['2026-06-01T09:00:00Z']],
    ['start_datetime', ['2026-02-30T10:00:00Z']],
    ['expiry_datetime', ['9999-12-31T23:59:59-10:00']],
    ['expiry_datetime', ['2026-06-01T10:00:59Z']],
    ['payment_method', ['C']],
    ['payment_method', ['e']],
    ['payment_method', ['']],
    ['payment_method', []],
    ['environment', ['live']],
    ['environment', ['Test']],
    ['environment', [' TEST']],
    ['environment', ['']],
    ['environment', []],
  ])('%s = %j', (name, values) => {
    const faults = faultsOf({ [name]: values });
    expect(faults).toHaveLength(1);
    expect([`${name} must `, `${name} is missing`].some((start) => faults[0]?.startsWith(start))).toBe(true);
  });

  it('by a name that is cut when it is long', () => {
    const [fault = ''] = faultsOf({ [`gender[${'<'.repeat(20_000)}`]: ['Female'] });
    expect(fault).toMatch(/ must be sent as gender\[\]$/);
    expect(fault.length).toBeLessThan(100);
  });

  it('but not what has nothing to do with offers, whatever it is called', () => {
    const names = ['note', '__proto__', 'gendered', 'interested_parties[]', ''];
    const others = names.map((name) => [name, ['x']] as const);
    expect(readOfferForm(new Map([...Object.entries(right), ...others]), picture)).toMatchObject({
      ok: true,
    });
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
  it('must be there, of a known type and within 50 megapixels and 2,000 frames', () => {
    expect(faultsOf({}, null)).toEqual(['image is missing']);
    expect(faultsOf({}, 'unknown')).toEqual(['image must be a JPG, PNG or GIF']);
    expect(faultsOf({}, { type: 'gif', width: 5_000, height: 5_000, frames: 3 })).toEqual([
      'image must have at most 50 megapixels over all its frames',
    ]);
    expect(faultsOf({}, { type: 'gif', width: 9_000, height: 9_000, frames: 2_001 })).toEqual([
      'image must have at most 2,000 frames',
    ]);
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
  const names = fc.constantFrom(...Object.keys(right), 'gender', 'interests[1]', '__proto__', 'note');
  const hostile = fc.constantFrom(
    '',
    ' ',
    '\0',
    '\u202e',
    '\ud800',
    '\u200b',
    '<script>',
    '-0',
    '1e999',
    'https://',
    'https://a@b',
    '9999-12-31T23:59:59-23:59',
  );
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    hostile,
    fc.tuple(hostile, fc.string({ unit: 'grapheme', maxLength: 600 })).map((both) => both.join('')),
    fc.constantFrom(...Object.values(right).flat()),
  );
  const spoiled = fc.dictionary(names, fc.array(value, { maxLength: 3 }), { noNullPrototype: true });
  const facts = fc.constantFrom(picture, null, 'unknown' as const);
  const known = [...Object.keys(right), 'image'];

  it('is a valid form, or faults of which each begins with the name of its field; it is never thrown at', () => {
    fc.assert(
      fc.property(spoiled, facts, (changes, facts) => {
        const result = read(changes, facts);
        if (result.ok) return expectValid(result.form);
        expect(result.faults.length).toBeGreaterThan(0);
        const named = [...known, ...Object.keys(changes)];
        for (const fault of result.faults)
          expect(named.filter((name) => fault.startsWith(`${name} `))).not.toEqual([]);
      }),
    );
  });

  it('is judged field by field: what is wrong with one changes nothing about the others', () => {
    const alone = (changes: Record<string, readonly string[]>) => faultsOf(changes);
    const period = new Set(['start_datetime', 'expiry_datetime']);
    fc.assert(
      fc.property(spoiled, (changes) => {
        const others = Object.entries(changes).filter(([name]) => !period.has(name));
        const separate = others.flatMap(([name, values]) => alone({ [name]: values }));
        expect(alone(Object.fromEntries(others)).toSorted()).toEqual(separate.toSorted());
      }),
    );
  });
});

/** A second, independent implementation of the rules. */
function expectValid(form: OfferForm): void {
  const length = (text: string) => Array.from(text).length;
  expect([length(form.title) <= 40, form.title.trim() !== '']).toEqual([true, true]);
  expect([length(form.description) <= 500, form.description.trim() !== '']).toEqual([true, true]);
  expect(length(form.termsAndConditions)).toBeLessThanOrEqual(500);
  expect(form.advertisedName ?? 'x').not.toMatch(/^\s*$|^(http:|https:|www\.)|[<>\r\n]/i);
  expect(length(form.advertisedName ?? '')).toBeLessThanOrEqual(100);
  const url = new URL(form.url);
  expect([url.protocol.replace('s', ''), url.username, url.password]).toEqual(['http:', '', '']);
  expect(Math.abs(form.latitude)).toBeLessThanOrEqual(90);
  expect(Math.abs(form.longitude)).toBeLessThanOrEqual(180);
  expect(new Set(form.gender).size).toBe(form.gender.length);
  expect(new Set(form.interests).size).toBe(form.interests.length);
  expect([...form.interests, form.categoryId, form.radiusMiles].every(Number.isInteger)).toBe(true);
  expect(form.expiryAt.getTime() - form.startAt.getTime()).toBeGreaterThanOrEqual(60_000);
}
