import { describe, expect, it } from '@jest/globals';
import type { Letter } from './letter.ts';
import { render } from './render-letter.ts';

const letter: Letter = {
  subject: 'Subject',
  heading: 'Heading',
  paragraphs: ['First.', 'Second.'],
  facts: [['Offer', 'Two for one']],
  action: { label: 'Open', url: 'https://ads.example/?a=1&b="2"' },
  reason: 'Because.',
};

describe('a letter', () => {
  it('says the same in text and in HTML', () => {
    const { subject, text, html } = render(letter);
    expect(subject).toBe('Subject');
    expect(text).toBe(
      'Heading\n\nFirst.\n\nSecond.\n\nOffer: Two for one\n\nOpen:\nhttps://ads.example/?a=1&b="2"\n\n--\nBecause.\n',
    );
    for (const said of ['Heading', 'First.', 'Second.', 'Offer', 'Two for one', 'Open', 'Because.'])
      expect(html).toContain(said);
  });

  it('needs neither facts nor an action', () => {
    const { action: _action, ...plain } = letter;
    const { text, html } = render({ ...plain, facts: [] });
    expect(text).toBe('Heading\n\nFirst.\n\nSecond.\n\n--\nBecause.\n');
    expect(html).not.toContain('<a ');
  });

  it('keeps the address of its action inside the attribute', () => {
    expect(render(letter).html).toContain('href="https://ads.example/?a=1&amp;b=&quot;2&quot;"');
  });
});
