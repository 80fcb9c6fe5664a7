import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import document from '@offer-ads/contracts/generated/openapi.json' with { type: 'json' };
import { entryFor, errorHelp } from './error-help.ts';

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
const help = errorHelp(page);

describe('the help about a refusal', () => {
  it.each([
    ['POST /offers', 400, 'E4', ['post-offers-400-e4']],
    ['POST /offers', 401, 'E1', ['any-endpoint-401-e1']],
    ['POST /offers', 403, 'E9', ['a-form-of-an-offer-403-e9']],
    ['POST /offers/{offer_id}/pause', 200, 'E3', ['post-offersoffer_idpause-200-e3']],
    ['POST /offers/{offer_id}/pause', 401, 'E1', ['an-offer-401-e1', 'any-endpoint-401-e1']],
    ['PATCH /offers/{offer_id}', 422, null, ['a-form-of-an-offer-422']],
    ['GET /offers/{offer_id}/analytics', 401, null, ['get-offersoffer_idanalytics-401']],
    ['PUT /webhooks/{webhook_id}', 404, 'E2', ['a-webhook-404-e2']],
    ['POST /webhooks/{webhook_id}/resend', 409, 'E5', ['a-disabled-webhook-409-e5']],
    ['DELETE /test/clock', 403, 'E1', ['the-test-clock-403-e1', 'any-endpoint-403-e1']],
    ['GET /categories', 401, null, ['any-endpoint-401']],
    ['POST /mcp create_offer', 429, null, ['any-endpoint-429']],
    ['POST /offers', 413, null, []],
    ['POST /offers', 200, 'S1', []],
    ['GET /categories', 200, null, []],
  ] as const)('for %s %d %s is its own entry, or those that may be meant', (route, status, code, ids) => {
    expect(help(route, status, code)).toEqual(ids);
  });

  it.each([
    ['GET /offers', 403, 'E1', 'any-endpoint-403-e1'],
    ['POST /offers', 413, null, 'not-from-an-endpoint'],
    ['GET unmatched', 404, null, 'not-from-an-endpoint'],
    ['GET /offers', 200, null, null],
    ['POST /offers', 200, 'S1', null],
    ['GET /offers', 499, null, null],
  ])('about the logged call %s %d %s is one entry', (route, status, returnCode, entry) => {
    expect(entryFor(help, { route, status, returnCode })).toBe(entry);
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
        help(`${method.toUpperCase()} ${path}`, Number(status), code).length === 0,
    );
    expect(missing).toEqual([]);
  });
});
