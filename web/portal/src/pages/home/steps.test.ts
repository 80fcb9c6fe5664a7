import { describe, expect, it } from '@jest/globals';
import type { Permission } from '@offer-ads/contracts/portal/session-api';
import { type Facts, stepsOf } from './steps.ts';

const permissions: Record<string, readonly Permission[]> = {
  admin: ['view-offers', 'offers', 'keys', 'calls', 'webhooks', 'people', 'terms', 'billing', 'organisation'],
  developer: ['keys', 'calls', 'webhooks'],
  marketer: ['view-offers', 'offers'],
  finance: ['billing'],
  viewer: ['view-offers'],
};

function facts(role: keyof typeof permissions, o: Partial<Facts> = {}): Facts {
  return {
    mode: 'test',
    may: (permission) => permissions[role]?.includes(permission) === true,
    termsAccepted: false,
    termsDue: null,
    balanceMinor: 0n,
    keysInForce: 0,
    hasOffers: false,
    people: 1,
    ...o,
  };
}

const titles = (of: Facts) => stepsOf(of).map(({ title }) => title);
const open = (of: Facts) => stepsOf(of).filter(({ done }) => !done).length;

describe('the next steps', () => {
  it('of an admin are five, from the terms to colleagues', () => {
    expect(titles(facts('admin'))).toEqual([
      'Accept the advertising terms',
      'Add play money',
      'Create an offer',
      'Create a TEST API key',
      'Invite colleagues',
    ]);
    expect(open(facts('admin'))).toBe(5);
  });

  it('of other roles are what they may do, and the terms if they need them', () => {
    expect(titles(facts('developer'))).toEqual(['Accept the advertising terms', 'Create a TEST API key']);
    expect(titles(facts('marketer'))).toEqual(['Accept the advertising terms', 'Create an offer']);
    expect(titles(facts('finance'))).toEqual(['Add play money']);
    expect(titles(facts('viewer'))).toEqual([]);
    expect(stepsOf(facts('marketer'))[0]).toMatchObject({
      action: 'Read them',
      why: expect.stringContaining('An admin'),
    });
  });

  it('are none when all is done', () => {
    const all = { termsAccepted: true, balanceMinor: 1n, keysInForce: 1, hasOffers: true, people: 2 };
    expect(open(facts('admin', all))).toBe(0);
  });

  it('name the day from which new terms hold, while the accepted ones are still enough', () => {
    expect(stepsOf(facts('admin', { termsAccepted: true, termsDue: '1 Dec 2026' }))[0]).toMatchObject({
      title: 'Accept the new advertising terms',
      why: expect.stringContaining('From 1 Dec 2026 on'),
      done: false,
    });
  });

  it('leave out what is not known yet', () => {
    expect(titles(facts('admin', { balanceMinor: undefined, people: undefined }))).toEqual([
      'Accept the advertising terms',
      'Create an offer',
      'Create a TEST API key',
    ]);
  });

  it('name real money in LIVE mode', () => {
    expect(titles(facts('admin', { mode: 'live' }))).toContain('Top up the balance');
    expect(titles(facts('admin', { mode: 'live' }))).toContain('Create a LIVE API key');
  });
});
