import { describe, expect, it } from '@jest/globals';
import { registration } from '../admin/gateway-api.ts';
import { organisationChange } from '../portal/organisation-api.ts';
import { faultsOfShownName, showsNothing } from './shown-name.ts';

/** The two ways to set the trading name. */
const ways = {
  'in the portal': (tradingName: string) => organisationChange.safeParse({ tradingName }),
  'at registration': (tradingName: string) =>
    registration.safeParse({
      name: 'A Ltd',
      tradingName,
      country: 'GB',
      currency: 'GBP',
      adminEmail: 'a@b.example',
    }),
};

describe.each(Object.entries(ways))('the trading name %s', (_, set) => {
  it.each([
    'The Bean',
    'Café & Söhne',
    'قهوة',
    'www is a word',
    'A https://b.example',
    '\u{1f600}'.repeat(100),
  ])('may be %j', (text) => {
    expect(set(text).success).toBe(true);
  });

  it.each([
    ['www.bean.example', 'must not start with'],
    ['\u200bhttps://bean.example', 'must not start with'],
    ['\u200b \u2060WWW.bean.example', 'must not start with'],
    ['\u3164http://bean.example', 'must not start with'],
    ['<b>Bean', 'HTML'],
    ['Bean &amp; Co', 'HTML'],
    ['Bean\nCo', 'line breaks'],
    ['Bean\u2028Co', 'line breaks'],
    ['Bean\u202eoC', 'direction of reading'],
    ['\u200b\u200d', 'must not be empty'],
    ['  ', 'must not be empty'],
    ['\u{1f600}'.repeat(101), 'at most 100 characters'],
    ['\ud800', 'well-formed'],
  ])('is refused when it is %j', (text, reason) => {
    const messages = set(text).error?.issues.map((issue) => issue.message);
    expect(messages).toEqual([expect.stringContaining(reason)]);
  });
});

describe('a name that members see', () => {
  it('is reported with all its faults at once', () => {
    expect(faultsOfShownName('\u200bwww.<b>\n\u202e')).toHaveLength(4);
  });

  it('is empty when all characters are blank or invisible', () => {
    expect(['', ' \t', '\u200b\u2060\ufe0f', '\u3164'].map(showsNothing)).toEqual([true, true, true, true]);
    expect(showsNothing('\u200b.')).toBe(false);
  });
});
