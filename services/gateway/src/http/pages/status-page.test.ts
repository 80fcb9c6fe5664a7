import { describe, expect, it } from '@jest/globals';
import { statusPage } from './status-page.ts';

const at = new Date('2026-11-20T18:05:00Z');

describe('the status page', () => {
  it('shows names from the settings as text, never as markup', () => {
    const name = `<img src=x onerror="alert('1')">&`;
    const page = statusPage({
      overall: 'degraded',
      checkedAt: at,
      dependencies: [{ name, state: 'down', since: at, responseMs: 12 }],
    });
    expect(page).not.toContain('<img src=x');
    expect(page).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;');
  });

  it('says in words which parts work, which do not, and since when', () => {
    const page = statusPage({
      overall: 'down',
      checkedAt: at,
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
});
