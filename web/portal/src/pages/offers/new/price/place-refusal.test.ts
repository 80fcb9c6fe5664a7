import { describe, expect, test } from '@jest/globals';
import { placeRefusal } from './place-refusal.ts';

describe('a refusal', () => {
  test('is shown at each field that it names', () => {
    expect(
      placeRefusal('E1', 'title must have at most 40 characters, it has 41; radius must be from 5 to 30.'),
    ).toEqual({
      faults: {
        title: 'Title must have at most 40 characters, it has 41.',
        radius: 'Radius must be from 5 to 30.',
      },
      rest: null,
    });
  });
  test('of a spending limit is shown for the whole form, with what to do', () => {
    const limit =
      'The cost is 61.00 GBP, and of the spending limit of 60.00 GBP a day (UTC) of your account 12.50 GBP is left';
    expect(placeRefusal('E1', limit)).toEqual({
      faults: {},
      rest: expect.stringMatching(/12\.50 GBP is left\. Nothing was created\. .*ask an admin/),
    });
  });
  test('of picture, balance or targeting is shown at its field', () => {
    expect(placeRefusal('E2', 'The image failed moderation: x.').faults).toHaveProperty('picture');
    expect(placeRefusal('E3', 'The balance is below.').faults).toHaveProperty('payment');
    expect(placeRefusal('E5', 'No users match the targeting.').faults.place).toContain(
      'Enlarge or move the circle',
    );
    expect(placeRefusal('E1', 'A card payment must be at least 0.30 GBP.').faults).toHaveProperty('payment');
  });
  test('for missing terms does not mention the Idempotency-Key', () => {
    const { rest } = placeRefusal('E9', 'Accept them, then retry with the same Idempotency-Key.');
    expect(rest).toContain('has not accepted');
    expect(rest).not.toContain('Key');
  });
  test('without a field is shown below the form', () => {
    expect(placeRefusal('E4', 'Offer quota exceeded.')).toEqual({
      faults: {},
      rest: 'Offer quota exceeded.',
    });
    expect(placeRefusal(null, 'Try again.')).toEqual({ faults: {}, rest: 'Try again.' });
    expect(placeRefusal('E1', 'quote_id has expired. Ask for a new estimate.').rest).toContain(
      'The price is no longer held',
    );
    expect(placeRefusal('E1', 'Something new.')).toEqual({ faults: {}, rest: 'Something new.' });
  });
});
