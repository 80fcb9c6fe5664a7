import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { readEstimateForm, refusalOfInterests } from './estimate-form.ts';

const now = new Date('2026-11-20T12:00:00Z');
const complete = {
  start_datetime: '2026-11-21T09:00:00Z',
  end_datetime: '2026-11-22T09:00:00Z',
  location: [51.5074, -0.1278],
  radius: 10,
};

function read(changes: Readonly<Record<string, unknown>>) {
  return readEstimateForm({ ...complete, ...changes }, 'TEST', now);
}

function refusalOf(changes: Readonly<Record<string, unknown>>) {
  const result = read(changes);
  if (result.ok) throw new Error('was accepted');
  return result.refusal;
}

function formOf(changes: Readonly<Record<string, unknown>> = {}) {
  const result = read(changes);
  if (!result.ok) throw new Error(`was refused: ${JSON.stringify(result.refusal)}`);
  return result.form;
}

describe('an estimate form', () => {
  it('without gender and interests is for everybody around', () => {
    expect(formOf()).toEqual({
      startAt: new Date('2026-11-21T09:00:00Z'),
      endAt: new Date('2026-11-22T09:00:00Z'),
      target: { latitude: 51.5074, longitude: -0.1278, radiusMiles: 10, gender: [], interests: [] },
    });
  });

  it('keeps each gender and interest once', () => {
    const { target } = formOf({ gender: ['Male', 'Non-binary', 'Male'], interests: [3, 1, 3] });
    expect(target).toMatchObject({ gender: ['Male', 'Non-binary'], interests: [3, 1] });
  });

  it.each([
    ['containing All', ['Female', 'All']],
    ['empty', []],
  ])('with gender %s is for every gender', (_, gender) => {
    expect(formOf({ gender }).target.gender).toEqual([]);
  });

  it.each([
    [undefined, false],
    [false, false],
    [true, true],
  ])('with quote %j wants a quote: %j', (quote, wantsQuote) => {
    expect(read({ quote })).toMatchObject({ ok: true, wantsQuote });
  });

  it.each(['true', 1, null, {}])('is refused with quote %j', (quote) => {
    expect(refusalOf({ quote })).toEqual({
      reason: 'invalid-input',
      faults: ['quote must be true or false'],
    });
  });

  it.each([5, 30])('takes a radius of %i miles', (radius) => {
    expect(formOf({ radius }).target.radiusMiles).toBe(radius);
  });

  it.each([
    ['an offset', '2026-11-21T10:00:00+01:00', '2026-11-22T14:30:00+05:30'],
    ['milliseconds', '2026-11-21T09:00:00.000Z', '2026-11-22T09:00:00.000Z'],
    ['no seconds', '2026-11-21T09:00Z', '2026-11-22T09:00Z'],
  ])('takes date-times with %s', (_, start_datetime, end_datetime) => {
    expect(formOf({ start_datetime, end_datetime })).toEqual(formOf());
  });

  it('ignores unknown fields, a currency among them', () => {
    expect(formOf({ currency: 'USD', offer: 1 })).toEqual(formOf());
  });

  it.each([
    ['Gender', 'gender'],
    ['genders', 'gender'],
    ['gender[]', 'gender'],
    ['interest', 'interests'],
    ['end_date_time', 'end_datetime'],
  ])('with %s is refused, because a list that is left out would reach everybody', (name, right) => {
    expect(refusalOf({ [name]: ['Female'] })).toEqual({
      reason: 'invalid-input',
      faults: [`${name} must be sent as ${right}`],
    });
    expect(refusalOf({ [name]: [], end_datetime: 'x' })).toMatchObject({
      reason: 'invalid-input',
      faults: [expect.stringContaining('ISO 8601'), `${name} must be sent as ${right}`],
    });
  });

  it.each(['TEST', 'test', undefined])("takes %s for the TEST key's environment", (environment) => {
    expect(read({ environment }).ok).toBe(true);
  });

  it.each(['LIVE', 'live'])(
    'naming %s with a TEST key is for the other mode, whatever else is wrong',
    (environment) => {
      expect(refusalOf({ environment, radius: 99, start_datetime: 'x' })).toEqual({
        reason: 'other-mode',
        keyMode: 'TEST',
      });
    },
  );

  it.each([
    ['radius', 4],
    ['radius', 31],
    ['radius', 4.999],
    ['radius', 10.5],
    ['radius', '10'],
    ['radius', Number.NaN],
    ['location', [51.5]],
    ['location', [51.5, -0.1, 3]],
    ['location', [90.001, 0]],
    ['location', [0, -180.001]],
    ['location', ['51.5', '-0.1']],
    ['location', { latitude: 51.5, longitude: -0.1 }],
    ['gender', ['male']],
    ['gender', ['Other']],
    ['gender', ['All', 'Other']],
    ['gender', 'Male'],
    ['gender', [null]],
    ['gender', null],
    ['interests', [1.5]],
    ['interests', [0]],
    ['interests', ['1']],
    ['interests', 1],
    ['environment', 'Test'],
    ['environment', 'production'],
    ['environment', ''],
    ['environment', 1],
    ['environment', null],
  ])('is refused by name for %s = %j', (field, value) => {
    const refusal = refusalOf({ [field]: value });
    expect(refusal).toMatchObject({
      reason: 'invalid-input',
      faults: [expect.stringMatching(`^${field} must be`)],
    });
  });

  it.each(['start_datetime', 'end_datetime', 'location', 'radius'])('is refused without %s', (field) => {
    for (const nothing of [undefined, null]) {
      expect(refusalOf({ [field]: nothing })).toEqual({
        reason: 'invalid-input',
        faults: [`${field} is missing`],
      });
    }
  });

  it.each([
    'tomorrow',
    '',
    '2026-11-21',
    '2026-11-21T09:00:00',
    '2026-11-21 09:00:00Z',
    '2026-02-30T09:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-21T25:00:00Z',
    '2026-11-21T00:00:60Z',
    '2026-11-21T00:00:00+0100',
    '20261121T090000Z',
    '1795000000',
    1_795_000_000,
    true,
  ])('with %j for a date-time is not ISO 8601', (value) => {
    for (const field of ['start_datetime', 'end_datetime']) {
      expect(refusalOf({ [field]: value })).toMatchObject({
        reason: 'invalid-date-time',
        faults: [expect.stringMatching(`^${field} must be an ISO 8601`)],
      });
    }
  });

  it('takes a start 60 seconds ago and refuses one a millisecond older', () => {
    expect(read({ start_datetime: '2026-11-20T11:59:00Z' }).ok).toBe(true);
    expect(refusalOf({ start_datetime: '2026-11-20T11:58:59.999Z' })).toMatchObject({
      reason: 'invalid-input',
    });
  });

  it('needs its end after its start, by a millisecond at least', () => {
    expect(read({ end_datetime: '2026-11-21T09:00:00.001Z' }).ok).toBe(true);
    expect(refusalOf({ end_datetime: '2026-11-21T09:00:00Z' })).toMatchObject({ reason: 'invalid-input' });
    expect(refusalOf({ end_datetime: '2026-11-21T10:00:00+02:00' })).toEqual({
      reason: 'invalid-input',
      faults: ['end_datetime must be after start_datetime'],
    });
  });

  it('is refused with all its faults at once, as E1 when one of them is not about ISO 8601', () => {
    expect(
      refusalOf({
        start_datetime: '2020-01-01T00:00:00Z',
        end_datetime: 'x',
        location: undefined,
        radius: 99,
      }),
    ).toEqual({
      reason: 'invalid-input',
      faults: [
        expect.stringContaining('end_datetime must be an ISO 8601'),
        'location is missing',
        expect.stringContaining('radius must be'),
        expect.stringContaining('start_datetime must not be more than 60 seconds'),
      ],
    });
  });

  it.each([undefined, null, 'text', 7, [complete]])('that is %j is no form', (body) => {
    expect(readEstimateForm(body, 'TEST', now)).toMatchObject({
      ok: false,
      refusal: { reason: 'invalid-input' },
    });
  });

  it('is answered whatever JSON it is', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(...Object.keys(complete), 'gender', 'interests'),
        (value, field) => {
          expect(() => read({ [field]: value })).not.toThrow();
          expect(() => readEstimateForm(value, 'LIVE', now)).not.toThrow();
        },
      ),
    );
  });
});

describe('the interests of an estimate', () => {
  it('must all be known, and the unknown are named', () => {
    expect(refusalOfInterests([1, 2], new Set([1, 2, 3]))).toBeUndefined();
    expect(refusalOfInterests([], new Set())).toBeUndefined();
    expect(refusalOfInterests([1, 98, 99], new Set([1]))).toMatchObject({
      reason: 'invalid-input',
      faults: [expect.stringContaining('98, 99')],
    });
  });
});
