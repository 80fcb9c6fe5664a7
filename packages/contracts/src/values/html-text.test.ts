import { expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { escapeHtml } from './html-text.ts';

it('holds no markup and no quote that ends an attribute', () => {
  expect(escapeHtml(`<script>alert("x")</script> & 'y'`)).toBe(
    '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;',
  );
  fc.assert(fc.property(fc.string(), (text) => expect(escapeHtml(text)).not.toMatch(/[<>"']/)));
});
