import { describe, expect, it } from '@jest/globals';
import { meantName } from './misspelt-name.ts';

const names = ['title', 'url', 'location[]', 'gender[]', 'interests[]', 'start_datetime'] as const;

describe('a name', () => {
  it.each([
    "'gender[]'",
    'gender%5B%5D',
    'gender%255B%255D',
    'gender\\u005b\\u005d',
    'gender&#91;&#93;',
    'gender.0',
    'gender{}',
    'gender\\[\\]',
    'gender[0',
    'gender',
    'GENDER',
    'genders[]',
    'gendr[]',
    'gendder',
    'gneder',
    'gend\u0435r[]',
    '\uff47ender',
    '\ufeffgender[]',
    '"gender"',
    '[gender]',
    ' gender',
    `gender[${'<'.repeat(20_000)}`,
  ])('%j means gender[]', (given) => {
    expect(meantName(given, names)).toBe('gender[]');
  });

  it.each([
    ['interest', 'interests[]'],
    ['interests[1]', 'interests[]'],
    ['locations', 'location[]'],
    ['startDatetime', 'start_datetime'],
    ['start-date-time', 'start_datetime'],
    ['Title', 'title'],
    ['title', 'title'],
  ])('%s means %s', (given, name) => {
    expect(meantName(given, names)).toBe(name);
  });

  it.each(['', '[]', 'note', 'gendered', 'interested_parties[]', 'subtitle', 'datetime', '__proto__'])(
    '%j means none',
    (given) => {
      expect(meantName(given, names)).toBeUndefined();
    },
  );
});
