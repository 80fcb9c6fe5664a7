import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { readEstimateForm } from './estimate-form.ts';

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
  return result.ok ? undefined : result;
}

function formOf(changes: Readonly<Record<string, unknown>> = {}) {
  const result = read(changes);
  if (!result.ok) throw new Error(`was refused: ${JSON.stringify(result)}`);
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

  it.each([
    [
      'each gender and interest once',
      { gender: ['Male', 'Female', 'Male'], interests: [3, 1, 3] },
      { gender: ['Male', 'Female'], interests: [3, 1] },
    ],
    ['every gender with All among them', { gender: ['Female', 'All'] }, { gender: [] }],
    ['every gender with an empty list', { gender: [] }, { gender: [] }],
  ])('is for %s', (_, changes, target) => {
    expect(formOf(changes).target).toMatchObject(target);
  });

  it.each([
    ['Gender', 'gender'],
    ['genders', 'gender'],
    ['gender[]', 'gender'],
    ['interest', 'interests'],
    ['end_date_time', 'end_datetime'],
  ])('with %s is refused, because a list that is left out would reach everybody', (name, right) => {
    expect(refusalOf({ [name]: ['Female'] })).toMatchObject({
      reason: 'invalid-input',
      faults: [`${name} must be sent as ${right}`],
    });
  });

  it.each([
    { environment: 'TEST' },
    { environment: 'test' },
    { quote: false },
    { radius: 5 },
    { radius: 30 },
    // Unknown fields, a currency among them.
    { currency: 'USD', offer: 1 },
    { start_datetime: '2026-11-21T10:00:00+01:00', end_datetime: '2026-11-22T14:30:00+05:30' },
    { start_datetime: '2026-11-21T09:00Z', end_datetime: '2026-11-22T09:00:00.000Z' },
  ])('is accepted with %j', (changes) => {
    expect(formOf(changes)).toEqual({
      ...formOf(),
      target: { ...formOf().target, radiusMiles: 'radius' in changes ? changes.radius : 10 },
    });
  });

  it.each([
    ['radius', 4],
    ['radius', 31],
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
    ['gender', ['All', 'Other']],
    ['gender', 'Male'],
    ['gender', null],
    ['interests', [1.5]],
    ['interests', [0]],
    ['interests', ['1']],
    ['interests', 1],
    ['environment', 'Test'],
    ['environment', 1],
    ['environment', null],
    ['quote', 'true'],
    ['quote', 1],
    ['quote', null],
  ])('is refused by name for %s = %j', (field, value) => {
    expect(refusalOf({ [field]: value })).toMatchObject({
      reason: 'invalid-input',
      faults: [expect.stringMatching(`^${field} must be`)],
    });
  });

  it.each(['start_datetime', 'end_datetime', 'location', 'radius'])('is refused without %s', (field) => {
    const missing = { reason: 'invalid-input', faults: [`${field} is missing`] };
    for (const nothing of [undefined, null]) expect(refusalOf({ [field]: nothing })).toMatchObject(missing);
  });

  it.each(['2026-11-21T09:00:00', '', 1_795_000_000, true])(
    'with %j for a date-time is not ISO 8601',
    (value) => {
      for (const field of ['start_datetime', 'end_datetime'])
        expect(refusalOf({ [field]: value })).toMatchObject({
          reason: 'invalid-date-time',
          faults: [expect.stringMatching(`^${field} must be an ISO 8601`)],
        });
    },
  );

  it('needs its end after its start, by a millisecond at least', () => {
    expect(read({ end_datetime: '2026-11-21T09:00:00.001Z' }).ok).toBe(true);
    for (const end_datetime of ['2026-11-21T09:00:00Z', '2026-11-21T10:00:00+02:00'])
      expect(refusalOf({ end_datetime })).toMatchObject({
        reason: 'invalid-input',
        faults: ['end_datetime must be after start_datetime'],
      });
  });

  it('with a misspelt name is E1, also when the only other fault is about ISO 8601', () => {
    expect(refusalOf({ Gender: [], end_datetime: 'x' })).toMatchObject({ reason: 'invalid-input' });
  });

  it('is refused with all its faults at once, as E1 when one of them is not about ISO 8601', () => {
    expect(
      refusalOf({
        start_datetime: '2020-01-01T00:00:00Z',
        end_datetime: 'x',
        location: undefined,
        radius: 99,
        genders: [],
      }),
    ).toMatchObject({
      reason: 'invalid-input',
      faults: [
        expect.stringContaining('end_datetime must be an ISO 8601'),
        'location is missing',
        expect.stringContaining('radius must be'),
        expect.stringContaining('start_datetime must not be more than 60 seconds'),
        'genders must be sent as gender',
      ],
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
