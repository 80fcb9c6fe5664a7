import { expect, it } from '@jest/globals';
import { shellWords } from './runbook-line.ts';

it.each([
  ['admin events drop --ids all', ['admin', 'events', 'drop', '--ids', 'all']],
  [`sql offers -c "SELECT 1 WHERE 'a' = 'b c'"`, ['sql', 'offers', '-c', "SELECT 1 WHERE 'a' = 'b c'"]],
  [`card settle --reason 'two words' --by=us`, ['card', 'settle', '--reason', 'two words', '--by=us']],
])('the line %s of a runbook is split into words as a shell does it', (line, words) => {
  expect(shellWords(line)).toEqual(words);
});
