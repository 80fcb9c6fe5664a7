import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import document from '@offer-ads/contracts/generated/openapi.json' with { type: 'json' };
import { errorHelp } from './error-help.ts';

/** The guide's headings as its page has them. */
const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/errors.md'), 'utf8');
const page = [...guide.matchAll(/^### (.+)$/gm)]
  .map(
    ([, name = '']) =>
      `<h3 id="${name
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-')}">`,
  )
  .join('');
const help = errorHelp(page, 'https://ads.example');
const at = (...sections: string[]) =>
  sections.map((section) => `<https://ads.example/docs/errors#${section}>; rel="help"`).join(', ');

describe('the help about a refusal', () => {
  it.each([
    ['post', '/offers', 400, 'E4', at('post-offers-400-e4')],
    ['post', '/offers/:offer_id/pause', 200, 'E3', at('post-offersoffer_idpause-200-e3')],
    ['post', '/offers/:offer_id/pause', 401, 'E1', at('an-offer-401-e1', 'any-endpoint-401-e1')],
    ['get', '/offers/:offer_id/analytics', 401, null, at('get-offersoffer_idanalytics-401')],
    ['put', '/webhooks/:webhook_id', 404, 'E2', at('a-webhook-404-e2')],
    ['get', '/categories', 401, null, at('any-endpoint-401')],
    ['get', '/categories', 503, null, at('any-endpoint-503')],
  ] as const)(
    '%s %s %d %s is its own entry, or those that may be meant',
    (method, path, status, code, links) => {
      expect(help({ method, path }, status, code)).toBe(links);
    },
  );

  it('is not sent with a success', () => {
    expect(help({ method: 'post', path: '/offers' }, 200, 'S1')).toBeUndefined();
    expect(help({ method: 'get', path: '/categories' }, 200, null)).toBeUndefined();
  });

  it('exists for every refusal that the contract names, but 405', () => {
    const refusals = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(
        methods as Record<string, { responses: Record<string, { description: string }> }>,
      ).flatMap(([method, { responses }]) =>
        Object.entries(responses).flatMap(([status, { description }]) =>
          [...description.matchAll(/`(E\d)`/g)].map(([, code = '']) => ({ method, path, status, code })),
        ),
      ),
    );
    expect(refusals.length).toBeGreaterThan(60);
    const missing = refusals.filter(
      ({ method, path, status, code }) =>
        help(
          { method: method as 'get', path: path.replaceAll(/\{(\w+)\}/g, ':$1') },
          Number(status),
          code,
        ) === undefined,
    );
    expect(missing).toEqual([]);
  });
});
