import { describe, expect, it } from '@jest/globals';
import { at, paidOffer, unpaidOffer } from '../../../test/lifecycle/lifecycle-fixture.ts';
import { simulateTraffic } from './simulation.ts';

const traffic = { views: 40, clicks: 3 };
const refusalOf = (simulated: ReturnType<typeof simulateTraffic>) =>
  simulated.ok ? undefined : simulated.refusal;

describe('simulated traffic', () => {
  it('counts in the current hour, and not as repeats or bots', () => {
    expect(simulateTraffic(paidOffer(), traffic, at(4.5))).toEqual({
      ok: true,
      rollUp: {
        offerId: 1,
        hour: at(4),
        counts: { ...traffic, viewsRepeated: 0, clicksRepeated: 0, viewsAutomated: 0, clicksAutomated: 0 },
      },
    });
  });

  it('is refused for a LIVE offer', () => {
    expect(refusalOf(simulateTraffic({ ...paidOffer(), mode: 'LIVE' }, traffic, at(4)))).toEqual({
      reason: 'not-test-mode',
      mode: 'LIVE',
    });
  });

  it.each([
    ['Awaiting Payment', unpaidOffer(), 4],
    ['Scheduled', paidOffer(), 0.5],
    ['Paused', { ...paidOffer(), pausedSince: at(2) }, 4],
    ['Ended', paidOffer(), 11],
  ] as const)('is refused for an offer that is %s', (status, offer, hour) => {
    expect(refusalOf(simulateTraffic(offer, traffic, at(hour)))).toEqual({
      reason: 'not-shown',
      status,
      isDisabled: false,
    });
  });

  it('is refused for an offer that the platform team has disabled', () => {
    expect(refusalOf(simulateTraffic({ ...paidOffer(), disabledSince: at(2) }, traffic, at(4)))).toEqual({
      reason: 'not-shown',
      status: 'Active',
      isDisabled: true,
    });
  });
});
