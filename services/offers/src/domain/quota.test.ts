import { describe, expect, it } from '@jest/globals';
import { checkQuota } from './quota.ts';

const quota = { perOrganisation: 5, perPerson: 2 };

describe('the quota', () => {
  it('leaves room below both limits', () => {
    expect(checkQuota(quota, { ofOrganisation: 4, ofPerson: 1 })).toBeNull();
  });
  it('names whose limit is reached, with limit and use', () => {
    expect(checkQuota(quota, { ofOrganisation: 4, ofPerson: 2 })).toMatchObject({
      whose: 'person',
      limit: 2,
      inUse: 2,
    });
    expect(checkQuota(quota, { ofOrganisation: 6, ofPerson: 0 })).toMatchObject({
      whose: 'organisation',
      limit: 5,
      inUse: 6,
    });
  });
});
