/** The specification's table of the fields of POST /offers: what each takes and refuses, at its bounds and one beyond. */

/** Two UTF-16 units and four bytes, three code points that look like one, and a letter with its accent apart. */
const tea = '\u{1F375}';
const oneOf = (length: number) => `${tea.repeat(length - 1)}!`;
const accented = 'e\u0301';

export type Sent = string | readonly string[] | undefined;
type Field = {
  readonly required: boolean;
  /** What may be sent, and what the list then shows. */
  readonly takes: readonly (readonly [sent: Sent, listed: Record<string, unknown>])[];
  /** What may not, and the whole message. */
  readonly refuses: readonly (readonly [sent: Sent, message: string])[];
};

const text = (name: string, most: number): Pick<Field, 'takes' | 'refuses'> => ({
  takes: [
    [oneOf(most), { [name]: oneOf(most) }],
    [accented.repeat(most / 2), { [name]: accented.repeat(most / 2) }],
    ['  <b>as</b>\tit is \u05d0 ', { [name]: '  <b>as</b>\tit is \u05d0 ' }],
  ],
  refuses: [
    [oneOf(most + 1), `${name} must have at most ${most} characters, it has ${most + 1}`],
    [`${accented.repeat(most / 2)}x`, `${name} must have at most ${most} characters, it has ${most + 1}`],
    ['a\0b', `${name} must not contain a NUL character`],
  ],
});

export const categoryRule = 'category_id must be an id from GET /categories';
const nameRule = (rule: string) => `advertised_name must not ${rule}`;
export const urlRule = 'url must be an http or https address without user information';
export const place =
  'location[] must be two numbers: latitude from -90 to 90, then longitude from -180 to 180';
export const radiusRule = 'radius must be a whole number of miles from 5 to 30';
export const genderRule = 'gender[] must be Male, Female, Non-binary or All';
export const interestRule = 'interests[] must be ids from GET /interests';
export const instant = (name: string) =>
  `${name} must be an ISO 8601 date and time with its zone, such as 2026-03-01T10:00:00Z`;
const shortest = 'expiry_datetime must be at least 60 seconds after start_datetime';
const hiking = { interest_id: 1, interest_name: 'Hiking' };
const cooking = { interest_id: 2, interest_name: 'Cooking' };
const addressOf = (length: number) => `https://cafe.example/${tea.repeat(length - 21)}`;

/** The specification's table of fields; `image` and `Idempotency-Key` have tables of their own. */
export const fields: Record<string, Field> = {
  category_id: {
    required: true,
    takes: [['1', { category: 'Food & Drink' }]],
    refuses: [
      ['999', categoryRule],
      // Inactive, and of another organisation.
      ['2', categoryRule],
      ['3', categoryRule],
      ['x', categoryRule],
      ['1.5', categoryRule],
      ['2147483648', categoryRule],
    ],
  },
  title: { required: true, ...text('title', 40) },
  description: { required: true, ...text('description', 500) },
  terms_and_conditions: {
    required: false,
    takes: [...text('terms_and_conditions', 500).takes, [undefined, { terms_and_conditions: '' }]],
    refuses: text('terms_and_conditions', 500).refuses,
  },
  advertised_name: {
    required: false,
    takes: [
      [undefined, { advertised_name: null }],
      ['', { advertised_name: null }],
      [' ', { advertised_name: null }],
      [oneOf(100), { advertised_name: oneOf(100) }],
      ['Caf\u00e9 & Bar, by www.cafe.example', { advertised_name: 'Caf\u00e9 & Bar, by www.cafe.example' }],
    ],
    refuses: [
      [oneOf(101), 'advertised_name must have at most 100 characters, it has 101'],
      ['http://cafe.example', nameRule('start with http://, https:// or www.')],
      ['HTTPS://cafe.example', nameRule('start with http://, https:// or www.')],
      ['www.cafe.example', nameRule('start with http://, https:// or www.')],
      ['<b>Cafe</b>', nameRule('contain HTML')],
      ['Caf&eacute;', nameRule('contain HTML')],
      ['Cafe\r\nBar', nameRule('contain line breaks or control characters')],
      ['Cafe\u2028Bar', nameRule('contain line breaks or control characters')],
      ['Cafe\u202eraB', nameRule('turn the direction of reading')],
    ],
  },
  url: {
    required: true,
    takes: [
      ['http://cafe.example', { url: 'http://cafe.example' }],
      [addressOf(2_048), { url: addressOf(2_048) }],
    ],
    refuses: [
      [addressOf(2_049), 'url must have at most 2048 characters, it has 2049'],
      ['ftp://cafe.example', urlRule],
      ['javascript:alert(1)', urlRule],
      ['https://user@cafe.example', urlRule],
      ['https://cafe.example/a b', urlRule],
    ],
  },
  'location[]': {
    required: true,
    takes: [
      [['90', '180'], { latitude: 90, longitude: 180 }],
      [['-90', '-180'], { latitude: -90, longitude: -180 }],
      [['51.477928', '-1e-05'], { latitude: 51.477928, longitude: -0.00001 }],
    ],
    refuses: [
      [['90.000001', '0'], place],
      [['-90.000001', '0'], place],
      [['0', '180.000001'], place],
      [['0', '-180.000001'], place],
      [['51.5'], place],
      [['51.5', '0', '0'], place],
      [['51.5,0'], place],
    ],
  },
  radius: {
    required: true,
    takes: [
      ['5', { radius: 5 }],
      ['30', { radius: 30 }],
    ],
    refuses: ['4', '31', '4.999', '30.001', '-5', 'x'].map((radius) => [radius, radiusRule] as const),
  },
  'gender[]': {
    required: false,
    takes: [
      [undefined, { gender: [] }],
      ['', { gender: [] }],
      ['All', { gender: [] }],
      [['Male', 'All'], { gender: [] }],
      ['Female', { gender: ['Female'] }],
      [['Non-binary', 'Male', 'Male'], { gender: ['Male', 'Non-binary'] }],
      [['Male', 'Female', 'Non-binary'], { gender: ['Male', 'Female', 'Non-binary'] }],
    ],
    refuses: [
      ['male', genderRule],
      [['Male', 'Robot'], genderRule],
      [['All', 'Robot'], genderRule],
    ],
  },
  gender: { required: false, takes: [], refuses: [['Male', 'gender must be sent as gender[]']] },
  'gender[0]': { required: false, takes: [], refuses: [['Male', 'gender[0] must be sent as gender[]']] },
  'interests[]': {
    required: false,
    takes: [
      [undefined, { interests: [] }],
      ['', { interests: [] }],
      ['2', { interests: [cooking] }],
      [['2', '1', '2'], { interests: [hiking, cooking] }],
      [Array.from({ length: 588 }, () => '1'), { interests: [hiking] }],
    ],
    refuses: [
      ['x', interestRule],
      ['1.0', interestRule],
      [['1', '999'], `${interestRule}, which 999 is not`],
      // Inactive.
      [['3', '999', '1'], `${interestRule}, which 3, 999 is not`],
    ],
  },
  interests: { required: false, takes: [], refuses: [['1', 'interests must be sent as interests[]']] },
  start_datetime: {
    required: true,
    takes: [
      ['2026-06-01T12:00Z', { start_datetime: '2026-06-01T12:00:00.000Z' }],
      ['2026-06-01T14:30:00.1234+02:00', { start_datetime: '2026-06-01T12:30:00.123Z' }],
    ],
    refuses: ['tomorrow', '2026-06-02', '2026-06-02T10:00:00', '2026-02-30T10:00:00Z'].map(
      (start) => [start, instant('start_datetime')] as const,
    ),
  },
  expiry_datetime: {
    required: true,
    takes: [['2026-06-01T13:01:00Z', { expiry_datetime: '2026-06-01T13:01:00.000Z' }]],
    refuses: [
      ['2026-06-01T13:00:59.999Z', shortest],
      ['2026-06-01T13:00:00Z', shortest],
      ['2026-06-01T12:00:00Z', shortest],
      ['x', instant('expiry_datetime')],
    ],
  },
  payment_method: {
    required: true,
    takes: [
      ['B', { offer_status: 'Scheduled' }],
      ['E', { offer_status: 'Awaiting Payment' }],
    ],
    refuses: ['b', 'C', 'EB'].map((method) => [method, 'payment_method must be E or B'] as const),
  },
  environment: {
    required: true,
    takes: [['TEST', {}]],
    refuses: ['test', 'Test', 'PROD'].map((mode) => [mode, 'environment must be TEST or LIVE'] as const),
  },
};
