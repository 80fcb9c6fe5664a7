import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { hashEntry } from '@offer-ads/platform/admin/tokens';
import { runJson } from '../../../test/admin-under-test.ts';

async function run(words: string): Promise<Record<string, string>> {
  const noTools = () => {
    throw new Error('no service is known');
  };
  return (await runJson(words, noTools)).result as Record<string, string>;
}

describe('token create', () => {
  it('makes a new token each time, with its hash for each list, and needs no service', async () => {
    const { token = '', ...hashes } = await run('token create --name ann');
    const lists = [...serviceNames, 'console' as const];
    expect(hashes).toEqual(Object.fromEntries(lists.map((list) => [list, hashEntry('ann', token, list)])));
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect((await run('token create --name ann')).token).not.toBe(token);
  });

  it('refuses a name that no list could hold', async () => {
    expect(await run('token create --name Ann,bo')).toEqual({ error: expect.stringContaining('lower case') });
  });
});
