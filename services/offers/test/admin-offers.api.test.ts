/** The platform's own look at an offer and its switch. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createdId, startingNow } from './forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(() => {
  under.clock.set('2026-06-01T12:00:00Z');
});

describe('GET /admin/offers/:id', () => {
  it('shows an offer with its money and times, deleted or not', async () => {
    const id = await createdId(under);
    await under.call('DELETE', `/offers/${id}`);
    const answer = await under.admin('GET', `/admin/offers/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      id,
      organisationId: 1,
      mode: 'TEST',
      status: 'Deleted',
      enabled: true,
      netMinor: '1000',
      deletedAt: '2026-06-01T12:00:00.000Z',
    });
  });

  it('is 404 for an offer that is not', async () => {
    expect((await under.admin('GET', '/admin/offers/424242')).status).toBe(404);
    expect((await under.admin('GET', '/admin/offers/x')).status).toBe(404);
  });
});

describe('POST /admin/offers/:id/disable and enable', () => {
  it('switch an offer off and on, tell the others, and make the time between unused', async () => {
    const id = await createdId(under, startingNow);
    await under.clearEvents();
    const off = await under.admin('POST', `/admin/offers/${id}/disable`);
    expect(off.body).toMatchObject({ enabled: false, status: 'Active' });
    under.clock.advance(60_000);
    const on = await under.admin('POST', `/admin/offers/${id}/enable`);
    expect(on.body).toMatchObject({ enabled: true, unusedMs: 60_000 });
    expect((await under.events()).map((event) => event.name)).toEqual(['OfferDisabled', 'OfferEnabled']);
  });

  it('refuse what is so already, and an offer that is not', async () => {
    const id = await createdId(under, startingNow);
    expect((await under.admin('POST', `/admin/offers/${id}/enable`)).status).toBe(409);
    await under.admin('POST', `/admin/offers/${id}/disable`);
    expect((await under.admin('POST', `/admin/offers/${id}/disable`)).status).toBe(409);
    expect((await under.admin('POST', '/admin/offers/424242/disable')).status).toBe(404);
  });
});
