import { expect, it } from '@jest/globals';
import { shellWords } from './shell-words.ts';

it('a line of a runbook is taken apart as a shell does it', () => {
  expect(shellWords('admin events drop --service pricing --ids all')).toEqual([
    'admin',
    'events',
    'drop',
    '--service',
    'pricing',
    '--ids',
    'all',
  ]);
  expect(shellWords(`sql offers -c "SELECT 1 WHERE 'a' = 'b c'"`)).toEqual([
    'sql',
    'offers',
    '-c',
    "SELECT 1 WHERE 'a' = 'b c'",
  ]);
  expect(shellWords(`admin card settle re_1 --reason 'two words' --by=platform`)).toEqual([
    'admin',
    'card',
    'settle',
    're_1',
    '--reason',
    'two words',
    '--by=platform',
  ]);
});
