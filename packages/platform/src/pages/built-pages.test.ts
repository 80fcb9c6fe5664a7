import { describe, expect, it } from '@jest/globals';
import { strictPolicy } from './built-pages.ts';

/** Directives by name. */
function directivesOf(policy: string): Readonly<Record<string, string>> {
  return Object.fromEntries(policy.split('; ').map((one) => [one.split(' ', 1)[0], one]));
}

describe('the policy of our own pages', () => {
  it('allows only what a directive names, and nothing from other sites', () => {
    const policy = strictPolicy();
    expect(directivesOf(policy)['default-src']).toBe("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|data:|blob:|\*/);
  });

  it('runs no text as script or markup, sends no form, and allows no frame', () => {
    const directives = directivesOf(strictPolicy());
    expect(directives['script-src']).toBe("script-src 'self'");
    expect(directives['require-trusted-types-for']).toBe("require-trusted-types-for 'script'");
    for (const name of ['base-uri', 'form-action', 'frame-ancestors'])
      expect(directives[name]).toBe(`${name} 'none'`);
  });

  it('allows images, and nothing else, from the given sources', () => {
    const plain = directivesOf(strictPolicy());
    const extended = directivesOf(strictPolicy({ imageSources: ['blob:', 'https://pictures.example'] }));
    expect(plain['img-src']).toBe("img-src 'self'");
    expect(extended).toEqual({ ...plain, 'img-src': "img-src 'self' blob: https://pictures.example" });
  });
});
