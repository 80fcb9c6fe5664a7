import { describe, expect, it } from '@jest/globals';
import { callFacts } from './audit-facts.ts';

const hash = 'a'.repeat(64);

describe('the facts of a call', () => {
  it.each([
    ['/admin/organisations/3/disable', {}, 'POST /organisations/:id/disable', ['organisations/3'], 3],
    ['/admin/offers/7/enable', {}, 'POST /offers/:id/enable', ['offers/7'], null],
    ['/admin/balances/top-up', { organisationId: 5 }, 'POST /balances/top-up', [], 5],
    [
      '/admin/card-problems/settle',
      { id: 're_1' },
      'POST /card-problems/settle',
      ['card-problems/re_1'],
      null,
    ],
    ['/admin/parked/drop', { ids: ['a', 'b'] }, 'POST /parked/drop', ['parked/a', 'parked/b'], null],
    ['/admin/parked/drop', { ids: 'all' }, 'POST /parked/drop', ['parked/all'], null],
    ['/admin/rulings', { name: hash, action: 'block' }, 'POST /rulings', [`rulings/${hash}`], null],
    ['/admin/rates/refresh', { acceptJump: '2026-11-20' }, 'POST /rates/refresh', ['rates/2026-11-20'], null],
  ])('are found in %s with %j', (path, body, action, targets, organisationId) => {
    expect(callFacts('POST', path, body)).toMatchObject({ action, targets, organisationId });
  });

  it('hold the reason on one line, and the fields that say what was done', () => {
    const body = { reason: 'agreed\nby phone', amountMinor: '500', mode: 'TEST', perPerson: 3 };
    const { reason, details } = callFacts('POST', '/admin/balances/top-up', body);
    expect([reason, details]).toEqual([
      'agreed by phone',
      { amountMinor: '500', mode: 'TEST', perPerson: 3 },
    ]);
  });

  it('hold no other field: neither secrets nor personal data', () => {
    const body = {
      email: 'jo@example.com',
      token: 'secret',
      text: 'terms',
      imageBase64: 'AAAA',
      name: 'Jo Doe',
    };
    expect(JSON.stringify(callFacts('POST', '/admin/organisations/3/people', body))).not.toMatch(
      /jo|secret|terms|AAAA/i,
    );
  });

  it('are bounded, whatever the caller sends', () => {
    const body = {
      reason: 'x'.repeat(9_000),
      reference: 'y'.repeat(9_000),
      ids: Array(9_000).fill('z'.repeat(900)),
    };
    const facts = callFacts('POST', `/admin/${'a/'.repeat(5_000)}`, body);
    expect(facts.targets).toHaveLength(100);
    expect(JSON.stringify(facts).length).toBeLessThan(25_000);
    for (const odd of [null, [], 'text', 7, { ids: [{}, null] }])
      expect(callFacts('POST', '/admin/rates/refresh', odd).targets).toEqual([]);
  });

  it('says which limit was taken away, and from which addresses a key works', () => {
    const body = { spendingPerDayMinor: null, addresses: ['192.0.2.7', '2001:db8::/32'] };
    expect(callFacts('POST', '/admin/keys/7/rights', body).details).toEqual({
      spendingPerDayMinor: 'none',
      addresses: '192.0.2.7 2001:db8::/32',
    });
  });
});
