/** Links of Markdown pages, and the sections that they can lead to. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { slugs } from '../../web/docs/slug.ts';

export type Link = { readonly words: string; readonly file: string; readonly section: string };

/** Those to other files; addresses of sites begin with `/` or a protocol. */
export function linksOf(file: string): Link[] {
  const text = withoutCode(readFileSync(file, 'utf8'));
  return [...text.matchAll(/\[([^\]]+)\]\((?!https?:|\/)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
    ([, words = '', path = '', section = '']) => ({
      words,
      file: path === '' ? file : join(dirname(file), path),
      section,
    }),
  );
}

/** Addresses of this service that a page links to: `/portal`. */
export function addressesOf(file: string): string[] {
  const text = withoutCode(readFileSync(file, 'utf8'));
  return [...text.matchAll(/\]\((\/[^)#\s]*)/g)].map(([, address = '']) => address);
}

export function deadLinksOf(file: string): Link[] {
  return linksOf(file).filter(
    (link) =>
      !existsSync(link.file) || (link.section !== '' && !sectionsOf(link.file).includes(link.section)),
  );
}

/** As GitHub names the headings of a page. */
function sectionsOf(file: string): string[] {
  const slug = slugs();
  const headings = withoutCode(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, title = '']) => slug(title));
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```[^]*?^```/gm, '');
}
