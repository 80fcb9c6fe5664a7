/** Renders Markdown to HTML for a strict content security policy: no inline styles or scripts, code highlighted at build time. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import createMarkdown, { type MarkdownIt, type Token } from 'markdown-it';
import { isLanguage, type Language, samplesHtml } from './samples.ts';
import { slugs } from './slug.ts';

hljs.registerLanguage('sh', bash);
hljs.registerLanguage('http', http);
hljs.registerLanguage('json', json);
hljs.registerLanguage('ts', typescript);
hljs.registerLanguage('js', typescript);
hljs.registerLanguage('python', python);

export type Heading = { readonly level: number; readonly id: string; readonly text: string };
/** An entry of the search index: a heading and the text below it. */
export type Section = { readonly id: string; readonly heading: string; readonly text: string };
export type RenderedGuide = {
  /** The text of its only first-level heading. */
  readonly title: string;
  /** Its first paragraph, for search engines and previews. */
  readonly summary: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
};

export type MarkdownOptions = {
  /** The address of a link on the site; throws for a broken link. */
  readonly addressOf: (link: string) => string;
  /** The SVG of a drawing, inlined so that it has the colours of the page. */
  readonly drawing: (name: string) => string;
};

const options = { html: false, linkify: false, typographer: false, highlight } as const;
const plain = createMarkdown(options);

/** A description of an API as HTML. */
export function renderText(markdown: string): string {
  return plain.render(markdown);
}

/** The same without paragraphs. */
export function renderLine(markdown: string): string {
  return plain.renderInline(markdown);
}

export function renderGuide(markdown: string, around: MarkdownOptions): RenderedGuide {
  const md = createMarkdown(options);
  drawPictures(md, around);
  nameCells(md);
  wrapCode(md);
  const tokens = md.parse(withoutComments(markdown), {});
  const headings = nameHeadings(tokens);
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type !== 'link_open') continue;
    const link = String(token.attrGet('href') ?? '');
    token.attrSet('href', around.addressOf(link));
    if (/^https?:/.test(link)) token.attrSet('rel', 'noreferrer');
  }
  const [first, ...rest] = headings;
  if (first?.level !== 1 || rest.some(({ level }) => level === 1)) {
    throw new Error('a guide begins with its title and has no other heading of the first level');
  }
  const summary = tokens[tokens.findIndex(({ type }) => type === 'paragraph_open') + 1];
  return {
    title: first.text,
    summary: textOf(summary),
    html: md.renderer.render(tokens, md.options, {}),
    headings: rest,
    sections: sectionsOf(tokens, headings),
  };
}

/** Removes comments: they are for the tests that run the examples, and the renderer would show them as text. */
export function withoutComments(markdown: string): string {
  return markdown.replace(/^<!--.*-->\n/gm, '');
}

function highlight(code: string, language: string): string {
  return hljs.getLanguage(language) === undefined ? '' : hljs.highlight(code, { language }).value;
}

/** Each heading gets an id and is a link to itself. */
function nameHeadings(tokens: Token[]): Heading[] {
  const slug = slugs();
  return tokens.flatMap((token, at) => {
    if (token.type !== 'heading_open') return [];
    const text = textOf(tokens[at + 1]);
    const id = slug(text);
    token.attrSet('id', id);
    return [{ level: Number(token.tag.slice(1)), id, text }];
  });
}

function textOf(inline: Token | undefined): string {
  const parts = inline?.children ?? [];
  return parts.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  let at = -1;
  const texts = headings.map((): string[] => []);
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') at += 1;
    const isHeading = tokens[index - 1]?.type === 'heading_open';
    if (token.type === 'inline' && !isHeading) texts[at]?.push(textOf(token));
    if (token.type === 'fence') texts[at]?.push(token.content);
  });
  return headings.map(({ id, text }, index) => ({
    id,
    heading: text,
    text: (texts[index] ?? []).join(' ').replace(/\s+/g, ' '),
  }));
}

function drawPictures(md: MarkdownIt, { drawing }: MarkdownOptions): void {
  md.renderer.rules['image'] = (tokens, at) => {
    const picture = tokens[at];
    const words = md.utils.escapeHtml(picture?.content ?? '');
    const svg = drawing(String(picture?.attrGet('src') ?? ''));
    return svg.replace('<svg ', `<svg class="drawing" role="img" aria-label="${words}" `);
  };
}

/** A column without a name has no header cell. Wide tables scroll by themselves, not with the page. */
function nameCells(md: MarkdownIt): void {
  md.renderer.rules['table_open'] = () => '<div class="scrolls"><table>\n';
  md.renderer.rules['table_close'] = () => '</table></div>\n';
  const isNameless = (tokens: Token[], at: number) => tokens[at]?.content === '';
  md.renderer.rules['th_open'] = (tokens, at) => (isNameless(tokens, at + 1) ? '<td>' : '<th scope="col">');
  md.renderer.rules['th_close'] = (tokens, at) => (isNameless(tokens, at - 1) ? '</td>' : '</th>');
}

/** Script fills the key in (test-key.ts). */
const keyButton =
  '<p class="test-key with-script"><button type="button" class="link">Use a TEST key of mine</button></p>\n';

/** @param language of a command, which gets a copy button, or of a reply */
export function codeBlock(code: string, language: string): string {
  const shown = highlight(code.trimEnd(), language) || plain.utils.escapeHtml(code.trimEnd());
  const kind = ['sh', 'ts', 'js', 'python'].includes(language) ? 'command' : 'reply';
  return `<div class="code ${kind}"><pre><code>${shown}</code></pre></div>\n${code.includes('pk_test_your_key') ? keyButton : ''}`;
}

type Part = { readonly language: Language; readonly blocks: Token[] };

/** Blocks in several languages directly below one another do the same in each. A reply belongs to the command above it. @param blocks begin with a command */
function partsOf(blocks: readonly Token[]): readonly Part[] {
  const parts: Part[] = [];
  for (const block of blocks) {
    const last = parts.at(-1);
    if (isLanguage(block.info) && block.info !== last?.language)
      parts.push({ language: block.info, blocks: [block] });
    else last?.blocks.push(block);
  }
  return parts;
}

function wrapCode(md: MarkdownIt): void {
  const blockOf = ({ content, info }: Token) => codeBlock(content, info.split(' ')[0] ?? '');
  md.renderer.rules['fence'] = (tokens, at) => {
    const isFence = ({ type }: Token) => type === 'fence';
    const top = tokens.slice(0, at).findLastIndex((token) => !isFence(token)) + 1;
    // Values that each reader sets may stand above.
    const first = tokens.findIndex(({ info }, index) => index >= top && isLanguage(info));
    const end = tokens.findIndex((token, index) => index > at && !isFence(token));
    const parts = at < first ? [] : partsOf(tokens.slice(first, end === -1 ? undefined : end));
    if (first === -1 || parts.length < 2)
      return tokens
        .slice(at, at + 1)
        .map(blockOf)
        .join('');
    if (at > first) return '';
    const samples = parts.map(({ language, blocks }) => ({ language, html: blocks.map(blockOf).join('') }));
    return samplesHtml(`language-${at}`, samples);
  };
  md.renderer.rules['heading_open'] = (tokens, at) => {
    const { tag = 'h2' } = tokens[at] ?? {};
    const id = tokens[at]?.attrGet('id') ?? '';
    return tag === 'h1' ? `<h1 id="${id}">` : `<${tag} id="${id}"><a class="here" href="#${id}">`;
  };
  md.renderer.rules['heading_close'] = (tokens, at) => {
    const { tag = 'h2' } = tokens[at] ?? {};
    return tag === 'h1' ? '</h1>\n' : `</a></${tag}>\n`;
  };
}
