import { expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { play, stories } from '../../../test/lifecycle/stories.ts';
import { type Offer, stateAt } from '../offer.ts';
import { type Edit, edit, editableFacts } from './edit-content.ts';
import { unusedTime } from './unused-time.ts';

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

it('an edit at any moment of any life changes what it names, and neither money nor time nor target nor state', () => {
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
        const differs = editableFacts.filter((fact) => edited.offer[fact] !== offer[fact]);
        expect(edited.changed).toEqual(differs);
        expect(edited.offer.contentVersion).toBe(offer.contentVersion + Math.min(differs.length, 1));
      }
    }),
  );
});
