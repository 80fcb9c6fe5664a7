import { describe, expect, it } from '@jest/globals';
import { references } from '../build.ts';
import { callsOf } from './openapi.ts';
import { renderReference, searchEntriesOf } from './pages.ts';

const assets = {
  style: '/s.css',
  script: '/s.js',
  early: '/e.js',
  icon: '/i.svg',
  font: '/f.woff2',
  searchIndex: '/s.json',
};

describe.each(references)('the reference at $address', ({ openapi, folder: _folder, ...reference }) => {
  const pages = renderReference(reference, openapi, assets);
  const all = [...pages.values()].join('\n');

  it('has every operation and event once, each with a link to it on the first page', () => {
    const calls = [...callsOf(openapi.paths), ...callsOf(openapi.webhooks ?? {})];
    expect(calls.length).toBeGreaterThan(40);
    for (const { operationId } of calls) {
      expect([operationId, all.split(` id="${operationId}"`).length - 1]).toEqual([operationId, 1]);
      expect(pages.get('index.html')).toContain(`#${operationId}"`);
    }
  });

  it('has links within itself that lead somewhere, and unique ids', () => {
    const addresses = new Map(
      [...pages].map(([name, page]) => [
        name === 'index.html' ? reference.address : `${reference.address}/${name.replace('.html', '')}`,
        page,
      ]),
    );
    const links = [...all.matchAll(/href="([^"#]*)#([^"]+)"/g)].filter(([, address = '']) =>
      addresses.has(address),
    );
    expect(links.length).toBeGreaterThan(40);
    for (const [link, address = '', id] of links)
      expect([link, addresses.get(address)?.includes(` id="${id}"`)]).toEqual([link, true]);
    for (const page of pages.values()) {
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(page.match(/<h1/g)).toHaveLength(1);
    }
  });

  it('has no inline styles and scripts, which the content security policy forbids', () => {
    expect(all).not.toMatch(/ style=|<style| on\w+="|<script(?![^>]* src=)|javascript:/);
  });
});

describe('the API reference', () => {
  const [{ openapi, ...reference }] = references as [(typeof references)[number]];
  const offers = renderReference(reference, openapi, assets).get('offers.html') ?? '';
  const section = (id: string) => (offers.split(` id="${id}"`)[1] ?? '').split('<h2')[0] ?? '';
  const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, '').replaceAll('&quot;', '"');

  it('shows what a creation by card answers: with the payment link', () => {
    expect(textOf(section('createOffer'))).toMatch(/"status": "Awaiting Payment",\s+"payment_url": "https:/);
  });

  it('shows the fields of a form and of a reply, with types, limits and whether they are required', () => {
    expect(textOf(section('createOffer'))).toMatch(/title\s*string, at most 40 characters\s*required/);
    expect(textOf(section('listOffers'))).toMatch(/data\[\]\.interests\[\]\.interest_id\s*integer/);
  });

  it('says at an operation what only it answers, and once what all answer', () => {
    expect(textOf(section('deleteOffer'))).toMatch(/409\s*E6 the payment just completed/);
    expect(section('deleteOffer')).not.toContain('Internal server error');
    expect(renderReference(reference, openapi, assets).get('index.html')).toContain('Internal server error');
  });

  it('is found by paths and names of fields', () => {
    const entries = searchEntriesOf(reference, openapi);
    const found = (word: string) =>
      entries.filter(([, , , text]) => text.includes(word)).map(([address]) => address);
    expect(found('estimated_credit')).toEqual(['/docs/reference/offers#estimateCredit']);
    expect(found('POST /offers ')).toEqual(['/docs/reference/offers#createOffer']);
  });
});
