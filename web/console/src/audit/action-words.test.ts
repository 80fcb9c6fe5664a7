import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { staffCalls } from '@offer-ads/contracts/admin/staff-calls';
import { actionWords } from './action-words.ts';

test('every changing call of the console and of the admin tool is shown in words', () => {
  const ofConsole = Object.keys(staffCalls)
    .filter((call) => !call.startsWith('GET '))
    .map((call) => call.replace(/ \/\w+/, ' ').replace(/:\w+/g, ':id'));
  const calls = readFileSync(new URL('../../../../packages/admin/src/run.test.ts', import.meta.url), 'utf8');
  const ofTool = [...calls.matchAll(/'\w+ ((?:POST|PUT) )\/admin(\/[^'?]+)'/g)].map(
    ([, method = '', path = '']) => method + path.replace(/\/\d+/g, '/:id'),
  );
  expect(ofTool.length).toBeGreaterThan(15);
  for (const action of [...ofConsole, ...ofTool])
    expect([action, actionWords[action]]).toEqual([action, expect.any(String)]);
});
