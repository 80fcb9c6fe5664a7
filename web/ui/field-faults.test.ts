import { expect, it } from '@jest/globals';
import { checkVatNumber } from '@offer-ads/contracts/values/vat-number';
import { placeFaults } from './field-faults.ts';

const isField = (name: string) => ['email', 'vatNumber', 'address', 'clicks', 'url'].includes(name);
const place = (message: string) => placeFaults(message, isField);

it('puts each message at its field, without the name that programs use', () => {
  expect(place('clicks: must not be more than views, because every click needs a view.')).toEqual({
    faults: { clicks: 'Must not be more than views, because every click needs a view.' },
    rest: null,
  });
  expect(
    place('url must be an https address; email: must be an email address, such as ana@shop.example.'),
  ).toEqual({
    faults: {
      url: 'Must be an https address.',
      email: 'Must be an email address, such as ana@shop.example.',
    },
    rest: null,
  });
});

it.each(['GB', 'IE', 'DE', 'US'])('keeps the whole message about a VAT number of %s together', (country) => {
  const checked = checkVatNumber('-', country);
  const message = checked.ok ? '' : checked.message;
  expect(message).not.toBe('');
  const { faults, rest } = place(`vatNumber: ${message}.`);
  expect(faults['vatNumber']?.toLowerCase()).toBe(`${message}.`.toLowerCase());
  expect(rest).toBeNull();
});

it('says which line of a text is too long', () => {
  expect(place('address.2: Too big: expected string to have <=80 characters.').faults).toEqual({
    address: 'Line 3 must have at most 80 characters.',
  });
});

it('finds a field that is in a part of the request', () => {
  expect(place('rights.address.0: must be an IP address').faults).toEqual({
    address: 'Line 1 must be an IP address.',
  });
});

it('leaves what belongs to no field of the form to the whole form', () => {
  expect(place('The server cannot be reached. Check your connection and try again.')).toEqual({
    faults: {},
    rest: 'The server cannot be reached. Check your connection and try again.',
  });
  expect(place('email: must be an email address, such as ana@shop.example; role: Invalid option.')).toEqual({
    faults: { email: 'Must be an email address, such as ana@shop.example.' },
    rest: 'Role: Invalid option.',
  });
});
