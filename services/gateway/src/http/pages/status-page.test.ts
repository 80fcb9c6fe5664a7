import { describe, expect, it } from '@jest/globals';
import { statusPage } from './status-page.ts';

const at = new Date('2026-11-20T18:05:00Z');

describe('the status page', () => {
  it('shows names from the settings as text, never as markup', () => {
    const name = `<img src=x onerror="alert('1')">&`;
    const page = statusPage({
      overall: 'degraded',
      checkedAt: at,
      outages: null,
      dependencies: [{ name, state: 'down', since: at, responseMs: 12 }],
    });
    expect(page).not.toContain('<img src=x');
    expect(page).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;');
  });

  it('says in words which parts work, which do not, and since when', () => {
    const page = statusPage({
      overall: 'down',
      checkedAt: at,
      outages: null,
      dependencies: [
        { name: 'pricing', state: 'down', since: at, responseMs: 1_000 },
        { name: 'offers', state: 'up', since: at, responseMs: 3 },
      ],
    });
    expect(page).toContain('Part of the API does not answer');
    expect(page).toMatch(/Pricing<\/strong> <span class="state">does not answer/);
    expect(page).toMatch(/Offers<\/strong> <span class="state">works/);
    expect(page).toContain('20 Nov 2026, 18:05 UTC');
  });

  it.each([
    [null, 'Earlier outages cannot be read'],
    [[], 'There was no outage of a minute or more.'],
    [[{ name: 'pricing', beganAt: at, endedAt: new Date('2026-11-20T20:06:00Z') }], 'for 2 hours 1 minute'],
    [[{ name: 'pricing', beganAt: at, endedAt: null }], 'until now'],
  ])('tells of outages: %j', (outages, text) => {
    const page = statusPage({ overall: 'operational', checkedAt: at, dependencies: [], outages });
    expect(page).toContain(text);
  });
});
