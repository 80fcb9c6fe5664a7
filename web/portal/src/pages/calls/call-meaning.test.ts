import { describe, expect, it } from '@jest/globals';
import { entryOf, heedOf, isUnmatched } from './call-meaning.ts';

describe('a call in the log', () => {
  it('is refused by its status, or by a code with status 200', () => {
    expect(heedOf({ status: 200, returnCode: 'S1' })).toBe('good');
    expect(heedOf({ status: 200, returnCode: null })).toBe('good');
    expect(heedOf({ status: 200, returnCode: 'E3' })).toBe('warning');
    expect(heedOf({ status: 404, returnCode: null })).toBe('warning');
    expect(heedOf({ status: 503, returnCode: null })).toBe('problem');
  });
});

describe('an entry of the guide', () => {
  it('keeps each heading with its list of messages', () => {
    const parts = [
      { text: 'Why: The form is incomplete.' },
      { text: 'What to do: Correct it.' },
      { text: 'What the offer says:' },
      { messages: ['title is missing'] },
      { text: 'Its period:' },
      { messages: ['start_datetime is missing'] },
    ];
    expect(entryOf(parts)).toEqual({
      paragraphs: [
        { heading: 'Why', text: 'The form is incomplete.' },
        { heading: 'What to do', text: 'Correct it.' },
      ],
      lists: [
        { heading: 'What the offer says:', messages: ['title is missing'] },
        { heading: 'Its period:', messages: ['start_datetime is missing'] },
      ],
    });
  });

  it('takes no sentence as the heading of a list', () => {
    expect(entryOf([{ text: 'It is temporary: try again.' }, { messages: ['title is missing'] }])).toEqual({
      paragraphs: [{ heading: null, text: 'It is temporary: try again.' }],
      lists: [{ heading: null, messages: ['title is missing'] }],
    });
  });
});

it('knows calls to addresses that no endpoint has', () => {
  expect(isUnmatched({ route: 'GET unmatched' })).toBe(true);
  expect(isUnmatched({ route: 'GET /offers' })).toBe(false);
});
