import { expect, it } from '@jest/globals';
import { wordsOf } from './search-words.ts';

it.each([
  ['Two for ONE', ['Two', 'for', 'ONE']],
  ["tea & (coffee | !milk):* 'x'", ['tea', 'coffee', 'milk', 'x']],
  ['2-for-1, -20%', ['2', 'for', '1', '20']],
  ['Café 咖啡', ['Café', '咖啡']],
  [' … ', []],
])('the words of %j are %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

it('are ten at most', () => {
  expect(wordsOf('a '.repeat(50))).toHaveLength(10);
});
