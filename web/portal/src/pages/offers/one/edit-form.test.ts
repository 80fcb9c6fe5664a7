import { describe, expect, it } from '@jest/globals';
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { contentOf } from '../new/draft.ts';
import { editFaults, editRequest } from './edit-form.ts';

const offer = {
  category_id: 3,
  title: 'Two for one',
  description: 'Two coffees',
  terms_and_conditions: 'Not on Sundays',
  advertised_name: null,
  url: 'https://cafe.example/',
  interests: [] as PortalOffer['interests'],
} as PortalOffer;
const draft = contentOf(offer);
const picture = new File(['x'], 'picture.png', { type: 'image/png' });
const sent = (form: FormData | null) =>
  form && [...form].map(([name, value]) => [name, value instanceof File ? value.name : value]);

describe('an edit of an offer', () => {
  it('sends only what changes, and nothing when nothing changes', () => {
    expect(editRequest(offer, draft, null)).toBeNull();
    expect(
      sent(
        editRequest(
          offer,
          { ...draft, title: 'Three for one', termsAndConditions: '', url: 'cafe.example' },
          null,
        ),
      ),
    ).toEqual([
      ['title', 'Three for one'],
      ['terms_and_conditions', ''],
      ['url', 'https://cafe.example'],
    ]);
    expect(sent(editRequest(offer, draft, picture))?.map(([name]) => name)).toEqual(['image']);
  });

  it('has faults only of what changes', () => {
    // A category that is no longer offered has no place in the list of the form.
    expect(editFaults({ ...offer, description: '' }, { ...draft, description: '' }, null)).toEqual({});
    expect(editFaults(offer, { ...draft, title: '', url: 'cafe' }, null)).toEqual({
      title: 'Enter the title.',
      url: 'Enter the whole address, with https:// or http:// at its beginning.',
    });
    const text = new File(['x'], 'picture.txt', { type: 'text/plain' });
    expect(editFaults(offer, { ...draft, categoryId: '' }, text)).toEqual({
      category: 'Choose a category.',
      picture: 'This file is no JPG, PNG or GIF. Choose another picture.',
    });
  });
});
