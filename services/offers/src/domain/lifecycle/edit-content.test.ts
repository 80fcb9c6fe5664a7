import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { at, paidOffer, unpaidOffer } from '../../../test/lifecycle/lifecycle-fixture.ts';
import { play, stories } from '../../../test/lifecycle/stories.ts';
import { type Offer, stateAt } from '../offer.ts';
import { type Edit, edit, editableFacts, review } from './edit-content.ts';
import { unusedTime } from './unused-time.ts';

describe('an edit', () => {
  it.each([
    ['unpaid', unpaidOffer(), null],
    ['paid', paidOffer(), at(20)],
  ])('of an offer that is %s changes what it names, and nothing else', (_, offer, reviewWaitingSince) => {
    const change = { title: 'Three for one', url: offer.url, image: 'other.jpg' };
    const facts = { title: 'Three for one', image: 'other.jpg', contentVersion: 2, contentChangedAt: at(20) };
    expect(edit(offer, change, at(0.5), at(20))).toEqual({
      ok: true,
      changed: ['title', 'image'],
      offer: { ...offer, ...facts, reviewWaitingSince },
    });
  });

  it('does not lose the place of an offer that waits for review, and is not missed by a review of the content before', () => {
    const waiting = { ...paidOffer(), reviewWaitingSince: at(1) };
    const edited = edit(waiting, { title: 'Three for one' }, at(3));
    if (!edited.ok) throw new Error('refused');
    expect(edited.offer.reviewWaitingSince).toEqual(at(1));
    expect(review(edited.offer, waiting.contentVersion)).toEqual({ ok: false, reason: 'changed-since' });
    expect(review(edited.offer, edited.offer.contentVersion)).toMatchObject({
      ok: true,
      offer: { reviewWaitingSince: null },
    });
  });

  const texts = fc.record<Edit>(
    {
      categoryId: fc.integer({ min: 1, max: 3 }),
      title: fc.constantFrom('Two for one', 'Three for one'),
      description: fc.string(),
      termsAndConditions: fc.string(),
      advertisedName: fc.option(fc.string()),
      url: fc.webUrl(),
      image: fc.constantFrom('picture.jpg', 'other.jpg'),
    },
    { requiredKeys: [] },
  );

  it('at any moment of any life changes neither money nor time nor target nor state', () => {
    const content = new Set<string>([
      ...editableFacts,
      'contentVersion',
      'contentChangedAt',
      'reviewWaitingSince',
    ]);
    const others = (offer: Offer) => Object.entries(offer).filter(([fact]) => !content.has(fact));
    fc.assert(
      fc.property(stories, texts, (story, change) => {
        for (const { offer, now } of play(story)) {
          const edited = edit(offer, change, now);
          const state = stateAt(offer, now);
          expect(edited.ok).toBe(state !== 'Ended' && state !== 'Deleted');
          if (!edited.ok) continue;
          expect(others(edited.offer)).toEqual(others(offer));
          expect(stateAt(edited.offer, now)).toBe(state);
          expect(unusedTime(edited.offer, now)).toEqual(unusedTime(offer, now));
          for (const fact of editableFacts)
            expect(edited.offer[fact]).toBe(change[fact] === undefined ? offer[fact] : change[fact]);
        }
      }),
    );
  });
});
