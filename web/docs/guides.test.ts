import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { guidesFolders, type RenderedGuides, renderGuides } from './guides.ts';
import { renderGuide } from './markdown.ts';

const assets = {
  style: '/docs/assets/style.css',
  script: '/docs/assets/script.js',
  early: '/docs/assets/early.js',
  icon: '/docs/assets/icon.svg',
  font: '/docs/assets/font.woff2',
  searchIndex: '/docs/assets/search.json',
};
const around = { addressOf: (link: string) => link, drawing: () => '<svg viewBox="0 0 1 1"></svg>' };
const html = (markdown: string) => renderGuide(`# Title\n\n${markdown}`, around).html;

describe.each(guidesFolders)('the guides at $address', (which) => {
  let guides: RenderedGuides;
  beforeAll(async () => {
    guides = await renderGuides(which, assets);
  });

  it('have one first-level heading, a title and a language each', () => {
    expect(guides.pages.size).toBeGreaterThan(5);
    for (const page of guides.pages.values()) {
      expect(page.match(/<h1/g)).toHaveLength(1);
      expect(page).toMatch(/<html lang="en">[^]*<title>[^<]+<\/title>/);
    }
  });

  it('have no inline styles and scripts, which the content security policy forbids', () => {
    for (const page of guides.pages.values()) {
      expect(page).not.toMatch(/ style=|<style| on\w+="|<script(?![^>]* src=)|javascript:/);
    }
  });

  it('have unique ids, and links within a page lead to one', () => {
    for (const page of guides.pages.values()) {
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
      expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
    }
  });

  it('link to pages and sections of the site that exist', async () => {
    const pages = new Map<string, string>();
    for (const each of guidesFolders) {
      const { pages: ofFolder, markdown } = await renderGuides(each, assets);
      for (const [name, page] of ofFolder)
        pages.set(
          name === 'index.html' ? each.address : `${each.address}/${name.replace(/\.html$/, '')}`,
          page,
        );
      for (const [name, text] of markdown) pages.set(`${each.address}/${name}`, text);
    }
    const links = [...guides.pages.values()].join('\n').matchAll(/href="(\/docs[^"]*)"/g);
    for (const [, link = ''] of links) {
      const [address = '', section] = link.split('#');
      if (/^\/docs\/(assets\/|test-pictures\/|reference(\/|$))/.test(address)) continue;
      expect([link, pages.has(address)]).toEqual([link, true]);
      if (section !== undefined) expect(pages.get(address)).toContain(` id="${section}"`);
    }
  });

  it('have a search index that is small, because it is downloaded at the first search', () => {
    expect(brotliCompressSync(JSON.stringify(guides.searchEntries)).length).toBeLessThan(30_000);
  });
});

it('the search index has headings and texts', async () => {
  const { searchEntries } = await renderGuides(guidesFolders[0]!, assets);
  expect(searchEntries.find(([, , heading]) => heading === 'POST /offers 400 E4')).toEqual([
    '/docs/errors#post-offers-400-e4',
    'Errors',
    'POST /offers 400 E4',
    expect.stringContaining('Offer quota exceeded'),
  ]);
});

describe('a guide', () => {
  it('shows HTML as text', () => {
    expect(html('<script>alert(1)</script> and `<b>`')).not.toMatch(/<script|<b>/);
    expect(html('```sh\necho "<b>"\n```')).not.toContain('<b>');
  });

  it('has commands with a copy button, and replies without', () => {
    expect(html('```sh yours\nexport A=b\n```')).toContain('<div class="code command">');
    expect(html('```json\n{}\n```')).toContain('<div class="code reply">');
  });

  it('has blocks in several languages below one another as one group, each with its reply', () => {
    const page = html(
      '```ts\nfirst();\n```\n\nText.\n\n```sh yours\nexport A=b\n```\n\n```sh\ndate\n```\n\n```json\n{}\n```\n\n```python\nprint()\n```',
    );
    const [before = '', ...samples] = page.split('<div class="sample" data-language=');
    expect(before).toContain('<div class="samples" data-has="sh python">');
    expect(before).toMatch(/first[^]*export/);
    expect(samples.map((sample) => sample.match(/"code \w+"/g))).toEqual([
      ['"code command"', '"code reply"'],
      ['"code command"'],
    ]);
  });

  it('has headings that link to themselves, with unique ids', () => {
    const page = html('## Same\n\n## Same');
    expect(page).toContain('<h2 id="same"><a class="here" href="#same">Same</a></h2>');
    expect(page).toContain('id="same-1"');
  });

  it('has no header cell for a column without a name', () => {
    expect(html('| | Limit |\n|---|---|\n| a | b |')).toContain('<td></td>');
  });

  it('has its drawings inline, with a text for screen readers', () => {
    expect(html('![What it shows](a.svg)')).toContain(
      '<svg class="drawing" role="img" aria-label="What it shows"',
    );
  });

  it('has no comments, which are for the tests of its examples', () => {
    expect(html('<!-- somebody pays the link -->\n')).not.toContain('somebody');
  });

  it.each([
    ['no title', 'text'],
    ['two titles', '# One\n\n# Two'],
  ])('is refused with %s', (_what, markdown) => {
    expect(() => renderGuide(markdown, around)).toThrow('title');
  });
});

describe('a folder of guides', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guides-'));
  const inGuides = join(folder, 'guides');
  const render = () => renderGuides({ folder: inGuides, address: '/docs' }, assets);
  beforeAll(() => {
    mkdirSync(inGuides);
    mkdirSync(join(folder, 'test-pictures'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(inGuides, name), text);
  };

  it('has the order of its first page, and links to the previous and next guide', async () => {
    write({ 'README.md': '# All\n\n1. [B](b.md)\n2. [A](a.md)\n', 'a.md': '# A\n', 'b.md': '# B\n' });
    const page = (await render()).pages.get('b.html') ?? '';
    expect(page).toMatch(/rel="prev" href="\/docs"[^]*rel="next" href="\/docs\/a"/);
    expect(page).toContain('<a href="/docs/b" aria-current="page">B</a>');
  });

  it('is refused when a guide is not listed, or links to another file of the repository', async () => {
    write({ 'c.md': '# C\n' });
    await expect(render()).rejects.toThrow('does not list c.md');
    rmSync(join(inGuides, 'c.md'));
    write({ 'a.md': '# A\n\n[decisions](../decisions/README.md)\n' });
    await expect(render()).rejects.toThrow('../decisions/README.md');
  });
});
