import { describe, expect, it } from '@jest/globals';
import { inFull, withoutPeople } from './payload.ts';

describe('the payload of a parked event', () => {
  const event = {
    organisationId: 3,
    mode: 'TEST',
    amountMinor: '1000',
    startAt: '2026-11-20T09:00:00.000Z',
    name: 'Tea House',
    billingDetails: { address: ['1 Tea Lane'], vatNumber: 'GB980780684', purchaseOrder: null },
    people: [{ personId: 7, email: 'ann@tea.example', role: 'admin', enabled: true }],
    memberId: 99,
    latitude: 51.5,
    gender: 'Female',
    interests: [4, 5],
    link: 'https://portal.example/#secret',
  };

  it('shows ids, instants and amounts, and hides personal data', () => {
    expect(JSON.parse(withoutPeople(JSON.stringify(event)))).toEqual({
      organisationId: 3,
      mode: 'TEST',
      amountMinor: '1000',
      startAt: '2026-11-20T09:00:00.000Z',
      name: '(hidden)',
      billingDetails: { address: ['(hidden)'], vatNumber: '(hidden)', purchaseOrder: null },
      people: [{ personId: '(hidden)', email: '(hidden)', role: 'admin', enabled: true }],
      memberId: '(hidden)',
      latitude: '(hidden)',
      gender: '(hidden)',
      interests: ['(hidden)', '(hidden)'],
      link: '(hidden)',
    });
  });

  it('is hidden as a whole when it is not JSON', () => {
    expect(withoutPeople('ann@tea.example')).toBe('(15 characters, hidden)');
  });

  it('is shown unchanged on request', () => {
    expect(JSON.parse(inFull(JSON.stringify(event)))).toEqual(event);
    expect(inFull('not JSON')).toBe('not JSON');
  });
});
