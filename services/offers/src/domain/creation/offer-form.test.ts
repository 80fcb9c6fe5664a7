import { describe, expect, it } from '@jest/globals';
import { byFact } from '@offer-ads/contracts/values/offer-texts';
import { fc } from '@offer-ads/testing/profile';
import { GREATEST_PICTURE_PIXELS, type PictureFacts, readOfferForm } from './offer-form.ts';

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
  const pictures = new Map(given === null ? [] : [['', given]]);
  const result = readOfferForm(new Map(Object.entries({ ...right, ...changes })), pictures);
  return result.ok ? { ok: true as const, form: result.form.offers[0] } : result;
}

function faultsOf(
  changes: Record<string, readonly string[]>,
  given?: PictureFacts | null,
): readonly string[] {
  const result = read(changes, given);
  return result.ok ? [] : result.faults;
}

const at = (latitude: number, longitude: number) => ({ latitude, longitude, placeLabel: null });

describe('a valid form', () => {
  it('is read into the content of the offer', () => {
    expect(read()).toEqual({
      ok: true,
      form: {
        categoryId: 1,
        ...byFact(() => ''),
        title: 'Two for one',
        description: 'Two coffees',
        termsAndConditions: 'Once a day',
        advertisedName: 'Café Ω',
        url: 'https://cafe.example/offer?x=1',
        ...at(51.5, -0.12),
        radiusMiles: 5,
        gender: ['Male', 'Female'],
        interests: [2, 1],
        startAt: new Date('2026-06-01T10:00:00Z'),
        expiryAt: new Date('2026-06-01T10:01:00Z'),
        paymentMethod: 'E',
        quoteId: null,
        maxCost: null,
        imageOfferId: null,
        imageName: null,
      },
    });
  });

  it('may leave out what is optional, or send it empty', () => {
    const none = {
      terms_and_conditions: [],
      advertised_name: [' '],
      'gender[]': [''],
      'interests[]': [''],
      quote_id: [''],
      max_cost: [''],
    };
    expect(read(none)).toMatchObject({
      ok: true,
      form: { termsAndConditions: '', advertisedName: null, gender: [], interests: [], quoteId: null },
    });
  });

  it('may name the offer whose picture it gets, instead of a picture', () => {
    const named = { image_offer_id: ['4711'] };
    expect(read(named, null)).toMatchObject({ ok: true, form: { imageOfferId: 4711 } });
    expect(faultsOf(named)).toEqual(['image and image_offer_id must not be sent together']);
    for (const text of ['x', '0', '4711.5', '2147483648'])
      expect(faultsOf({ image_offer_id: [text] }, null)).toEqual([
        'image_offer_id must be the id of an offer of yours in this mode, whose picture is still kept',
      ]);
    expect(faultsOf({ image_offer_id: [''] }, null)).toEqual(['image is missing']);
  });

  it('may name a quote of at most 1,000 characters, which pricing reads', () => {
    const longest = 'x'.repeat(1_000);
    expect(read({ quote_id: [longest] })).toMatchObject({ ok: true, form: { quoteId: longest } });
    expect(faultsOf({ quote_id: [`${longest}x`] })).toEqual([
      'quote_id must be the quote_id of a price estimate',
    ]);
  });

  it('may bound the cost by an amount', () => {
    for (const text of ['0', '60', '60.5', '60.05'])
      expect(read({ max_cost: [text] })).toMatchObject({ ok: true, form: { maxCost: text } });
    for (const text of ['-1', '60.005', '1e3', '60,00', 'GBP 60'])
      expect(faultsOf({ max_cost: [text] })).toEqual([
        'max_cost must be an amount in your billing currency, such as 60.00',
      ]);
  });

  it('measures texts in code points', () => {
    // A family of seven.
    const longest = `👨\u200d👩\u200d👧\u200d👦${'x'.repeat(33)}`;
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

  const most = '2147483647';
  it.each<[string, string[], object]>([
    ...`http://a HTTPS://CAFE.EXAMPLE https://cafe.example:8443/x?y=z#top https://cafe.example. https://café.example/käse?q=ö
      https://xn--caf-dma.example https://[2001:db8::1]:80/x http://192.0.2.1/ https://cafe.example/user@host
      https://cafe.example?mail=a@b.example https://cafe.example/${'x'.repeat(2_027)} https://cafe.example/${'😀'.repeat(168)}`
      .split(/\s+/)
      .map((url): [string, string[], object] => ['url', [url], { url }]),
    ['location[]', ['51.5', '-0.1'], at(51.5, -0.1)],
    ['location[]', ['90', '180'], at(90, 180)],
    ['location[]', ['-90.0', '-180.'], at(-90, -180)],
    ['location[]', ['+.5', '1e-05'], at(0.5, 0.000_01)],
    ['location[]', ['5.15E1', '-0'], at(51.5, -0)],
    ['location[]', ['51.507400000000000000000000000000', '0'], at(51.5074, 0)],
    ['gender[]', ['All'], { gender: [] }],
    ['gender[]', ['Male', 'All'], { gender: [] }],
    ['gender[]', ['Non-binary'], { gender: ['Non-binary'] }],
    ['radius', ['30'], { radiusMiles: 30 }],
    ['category_id', [most], { categoryId: 2_147_483_647 }],
    ['interests[]', [most], { interests: [2_147_483_647] }],
  ])('may have as %s: %j', (name, sent, facts) => {
    expect(read({ [name]: sent })).toMatchObject({ ok: true, form: facts });
  });
});

const dateTime = 'must be an ISO 8601 date and time with its zone, such as 2026-03-01T10:00:00Z';
const notWebAddress = 'must be an http or https address without user information';
const place = 'must be two numbers: latitude from -90 to 90, then longitude from -180 to 180';
const words = (text: string) => text.trim().split(/\s+/);
const textFaults = (most: number) => ({
  [`must have at most ${most} characters, it has ${most + 1}`]: ['x'.repeat(most + 1)],
  'must not contain a NUL character': ['a\0b'],
});

/** By field: each rule, as the message states it, with values that break it. Contracts test names that members see, and date-times. */
const wrong: Record<string, Record<string, readonly (string | readonly string[])[]>> = {
  category_id: {
    'is missing': [[], ''],
    'must be an id from GET /categories': ['x', '1.5', ' 1', '2147483648'],
  },
  title: { 'is missing': [[], '', ' ', '\u200b\u00ad\ufeff'], ...textFaults(40) },
  description: { 'is missing': [[], ''], ...textFaults(500) },
  terms_and_conditions: textFaults(500),
  advertised_name: {
    'must have at most 100 characters, it has 101': ['x'.repeat(101)],
    'must not start with http://, https:// or www.': ['\u200bhttp://cafe.example', 'WWW.cafe.example'],
    'must not contain line breaks or control characters': ['Cafe\r\nBar', 'Cafe\u2028Bar'],
    'must not turn the direction of reading': ['Cafe\u202egpj'],
    'must not contain HTML': ['<b>Cafe</b>', 'Caf&eacute;'],
  },
  url: {
    'is missing': [[], '', ' '],
    'must have at most 2048 characters, it has 2049': [
      `https://cafe.example/${'x'.repeat(2_028)}`,
      `https://cafe.example/${'😀'.repeat(2_028)}`,
    ],
    'must have at most 2048 characters when it is escaped, it has 2049': [
      `https://cafe.example/${'😀'.repeat(169)}`,
    ],
    [notWebAddress]: [
      ...words(String.raw`
        cafe.example //cafe.example /two-for-one ftp://cafe.example javascript:alert(1)
        JavaScript://cafe.example/%0aalert(1) data:text/html,x file:///etc/passwd blob:https://cafe.example/x
        https:cafe.example https:/cafe.example https:///cafe.example https:// https://?x https://#x
        https://user@cafe.example https://user:word@cafe.example https://@cafe.example https://:@cafe.example
        https://cafe.example%40evil.example@bad.example https:\\cafe.example https://cafe.example\@evil.example
        https://cafe.example/a\b https://[::1 https://[::g]/ https://cafe.example:99999 https://cafe.example:http
        https://a..b^c https://999.999.999.999 https://%00`),
      'https://cafe.example/a b',
      ' https://cafe.example',
      'https://cafe.example\n',
      'java\tscript:alert(1)',
      ...['\u0000', '\u0085', '\u202egpj.exe'].map((end) => `https://cafe.example/${end}`),
    ],
  },
  'location[]': {
    [place]: [
      [],
      ...words(
        '51.5 51.5;-0.1;3 91;0 0;180.1 90.0000001;0 0;-180.0000001 ;51.5;-0.1 51.5; 51,5;-0,1 51.5,-0.1 0x10;1 1e400;0 .;0 1_0;0 NaN;Infinity',
      ).map((numbers) => numbers.split(';')),
      [' 51.5', '-0.1'],
    ],
  },
  radius: {
    'must be a whole number of miles from 5 to 30': [
      [],
      '',
      ' 10',
      ...words('4 31 5.5 4.999 -5 +5 1e1 \u0661\u0660'),
    ],
  },
  'gender[]': {
    'must be Male, Female, Non-binary or All': [
      ['All', 'Robot'],
      ...words('male ["Male"] Male,Female \u041cale'),
    ],
  },
  'interests[]': { 'must be ids from GET /interests': [['1', 'x'], ...words('1.0 2147483648 1,2 [1]')] },
  start_datetime: { [dateTime]: [[], 'tomorrow', '2026-06-01T10:00:00'] },
  expiry_datetime: {
    [dateTime]: [[], '9999-12-31T23:59:59-10:00'],
    'must be at least 60 seconds after start_datetime': words(
      '2026-06-01T10:00:59.999Z 2026-06-01T10:00:00Z 2026-06-01T09:00:00Z',
    ),
  },
  payment_method: { 'must be E or B': [[], '', 'C', 'e', 'EB'] },
  environment: { 'must be TEST or LIVE': [[], '', 'live', 'Test', ' TEST'] },
};

/** Names of other list conventions. */
const misnamed = {
  'gender[]': ['gender', 'gender[0]', 'Gender[]', 'genders[]', ' gender[] ', 'gender[][]'],
  'interests[]': ['interests', 'interests[0]', 'interests[ ]', 'interest[]'],
  'location[]': ['location', 'location[0]'],
};

describe('a wrong field is named with its rule', () => {
  const rows = Object.entries(wrong).flatMap(([name, rules]) =>
    Object.entries(rules).flatMap(([rule, values]) =>
      values.map((value) => [name, rule, [value].flat()] as const),
    ),
  );
  it.each(rows)('%s %s: %j', (name, rule, values) => {
    expect(faultsOf({ [name]: values })).toEqual([`${name} ${rule}`]);
  });

  it.each(
    Object.entries(misnamed).flatMap(([name, others]) => others.map((other) => [other, name] as const)),
  )('%j must be sent as %s', (other, name) => {
    expect(faultsOf({ [other]: ['1'] })).toEqual([`${other} must be sent as ${name}`]);
  });

  it('by the beginning of a long name', () => {
    const [fault = ''] = faultsOf({ [`gender[${'<'.repeat(20_000)}`]: ['Female'] });
    expect(fault).toMatch(/ must be sent as gender\[\]$/);
    expect(fault.length).toBeLessThan(100);
  });

  it('parts with other names are ignored, whatever their names are', () => {
    const names = ['note', '__proto__', 'gendered', 'interested_parties[]', ''];
    const others = names.map((name) => [name, ['x']] as const);
    expect(
      readOfferForm(new Map([...Object.entries(right), ...others]), new Map([['', picture]])),
    ).toMatchObject({
      ok: true,
    });
  });
});

describe('the picture', () => {
  it('must be there, of a known type and within 50 megapixels and 2,000 frames', () => {
    expect(faultsOf({}, null)).toEqual(['image is missing']);
    expect(faultsOf({}, 'not-a-picture')).toEqual(['image must be a JPG, PNG or GIF']);
    expect(faultsOf({}, 'damaged')).toEqual(['image is damaged or incomplete']);
    expect(faultsOf({}, { type: 'gif', width: 5_000, height: 5_000, frames: 3 })).toEqual([
      'image must have at most 50 megapixels over all its frames',
    ]);
    expect(faultsOf({}, { type: 'gif', width: 9_000, height: 9_000, frames: 2_001 })).toEqual([
      'image must have at most 2,000 frames',
    ]);
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
  const facts = fc.constantFrom(picture, null, 'damaged' as const);
  const known = [...Object.keys(right), 'image'];

  it('gives a form, or faults that each begin with the name of their field', () => {
    fc.assert(
      fc.property(spoiled, facts, (changes, facts) => {
        const result = read(changes, facts);
        if (result.ok) return;
        expect(result.faults.length).toBeGreaterThan(0);
        const named = [...known, ...Object.keys(changes)];
        for (const fault of result.faults)
          expect(named.filter((name) => fault.startsWith(`${name} `))).not.toEqual([]);
      }),
    );
  });

  it('is judged field by field: a fault of one changes nothing about the others', () => {
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
