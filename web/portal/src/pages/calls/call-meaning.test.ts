import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { slugs } from '../../../../docs/slug.ts';
import { entryOf, guideTo, heedOf, isUnmatched } from './call-meaning.ts';

const guide = readFileSync(new URL('../../../../../docs/guides/errors.md', import.meta.url), 'utf8');
const headings = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
const slugOf = slugs();
const anchors = new Map(headings.map((heading) => [heading, slugOf(heading)]));

describe('a call in the log', () => {
  it('is refused by its status, or by a code with status 200', () => {
    expect(heedOf({ status: 200, returnCode: 'S1' })).toBe('good');
    expect(heedOf({ status: 200, returnCode: null })).toBe('good');
    expect(heedOf({ status: 200, returnCode: 'E3' })).toBe('warning');
    expect(heedOf({ status: 404, returnCode: null })).toBe('warning');
    expect(heedOf({ status: 503, returnCode: null })).toBe('problem');
  });

  it.each(headings.filter((heading) => /^\w+ \/.* \d{3}( E\d)?$/.test(heading)))(
    'links to the entry of the guide for %s',
    (heading) => {
      const [, route = '', status, returnCode = null] = /^(.+?) (\d{3})(?: (E\d))?$/.exec(heading) ?? [];
      expect(guideTo({ route, status: Number(status), returnCode })).toBe(
        `/docs/errors#${anchors.get(heading)}`,
      );
    },
  );

  it.each([
    { route: 'GET /categories', status: 401, returnCode: null },
    { route: 'GET /offers', status: 401, returnCode: 'E1' },
    { route: 'POST /offers', status: 429, returnCode: null },
    { route: 'POST /offers', status: 500, returnCode: null },
    { route: 'GET /offers', status: 503, returnCode: null },
    { route: 'GET unmatched', status: 404, returnCode: null },
    { route: 'POST /offers', status: 413, returnCode: null },
    { route: 'GET /webhooks/{webhook_id}', status: 404, returnCode: 'E2' },
    { route: 'POST /webhooks/{webhook_id}/messages/{message_id}/resend', status: 409, returnCode: 'E5' },
    { route: 'POST /webhooks', status: 415, returnCode: 'E1' },
    { route: 'DELETE /test/clock', status: 403, returnCode: 'E1' },
    { route: 'GET /offers/{offer_id}/analytics/series', status: 401, returnCode: 'E1' },
    { route: 'GET /offers/{offer_id}/analytics', status: 401, returnCode: null },
    { route: 'GET /offers/{offer_id}/analytics', status: 401, returnCode: 'E1' },
    { route: 'GET /offers', status: 403, returnCode: 'E1' },
    { route: 'POST /offers', status: 403, returnCode: 'E9' },
    { route: 'PATCH /offers/{offer_id}', status: 422, returnCode: null },
  ])('links to an existing entry for $status of $route', (call) => {
    const anchor = guideTo(call)?.split('#')[1];
    expect([...anchors.values()]).toContain(anchor);
  });

  it('has no link after a success, or when the caller disconnected', () => {
    expect(guideTo({ route: 'GET /offers', status: 200, returnCode: null })).toBeNull();
    expect(guideTo({ route: 'POST /offers', status: 200, returnCode: 'S1' })).toBeNull();
    expect(guideTo({ route: 'GET /offers', status: 499, returnCode: null })).toBeNull();
  });
});

describe('an entry of the guide', () => {
  it('keeps each heading with its list of messages', () => {
    const parts = [
      { text: 'Cause. The form is incomplete.' },
      { text: 'Do. Correct it.' },
      { text: 'What the offer says:' },
      { messages: ['title is missing'] },
      { text: 'Its period:' },
      { messages: ['start_datetime is missing'] },
    ];
    expect(entryOf(parts)).toEqual({
      paragraphs: ['Cause. The form is incomplete.', 'Do. Correct it.'],
      lists: [
        { heading: 'What the offer says:', messages: ['title is missing'] },
        { heading: 'Its period:', messages: ['start_datetime is missing'] },
      ],
    });
  });

  it('takes no sentence as the heading of a list', () => {
    expect(entryOf([{ text: 'Do. Correct it.' }, { messages: ['title is missing'] }])).toEqual({
      paragraphs: ['Do. Correct it.'],
      lists: [{ heading: null, messages: ['title is missing'] }],
    });
  });
});

it('knows calls to addresses that no endpoint has', () => {
  expect(isUnmatched({ route: 'GET unmatched' })).toBe(true);
  expect(isUnmatched({ route: 'GET /offers' })).toBe(false);
});
