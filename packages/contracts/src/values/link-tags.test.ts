import { expect, it } from '@jest/globals';
import { withTags } from './link-tags.ts';

const tags = 'utm_source=offer-ads&utm_medium=display&utm_campaign=17-two-for-one';

it.each([
  ['https://cafe.example', 'Two for one!', `https://cafe.example/?${tags}`],
  [
    'https://cafe.example/a?x=%C3%A4&flag&y=a+b#ö',
    'Two for one',
    `https://cafe.example/a?x=%C3%A4&flag&y=a+b&${tags}#%C3%B6`,
  ],
  ['https://cafe.example/?utm_campaign=own', 'Two for one', 'https://cafe.example/?utm_campaign=own'],
  ['https://cafe.example/?UTM_Source=own#x', 'Two for one', 'https://cafe.example/?UTM_Source=own#x'],
  [
    'https://cafe.example/',
    'Käse & Crème',
    'https://cafe.example/?utm_source=offer-ads&utm_medium=display&utm_campaign=17-kase-creme',
  ],
  [
    'https://cafe.example/',
    '茶',
    'https://cafe.example/?utm_source=offer-ads&utm_medium=display&utm_campaign=17',
  ],
  [`https://cafe.example/${'a'.repeat(2_020)}`, 'Two for one', `https://cafe.example/${'a'.repeat(2_020)}`],
])('%s of %s leads to %s', (url, title, tagged) => {
  expect(withTags(url, { source: 'offer-ads', medium: 'display' }, { offerId: 17, title })).toBe(tagged);
});
