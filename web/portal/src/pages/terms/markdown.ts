/**
 * Plain text or Markdown as elements of the page, never as markup: the page's policy forbids that, and so do we. Raw HTML stays text,
 * pictures stay out.
 */
import createMarkdown, { type Token } from 'markdown-it';
import { type ComponentChildren, h } from 'preact';

// Plain text breaks its lines and indents where it likes: neither a break is lost nor does anything turn into code by it.
const markdown = createMarkdown({ html: false, linkify: false, breaks: true }).disable(['code', 'image']);

/** What the parser is known to name. Of anything else, only what is inside is shown. */
const elements = new Set(
  ['p', 'ul', 'ol', 'li', 'blockquote', 'strong', 'em', 's', 'hr', 'br', 'code', 'pre', 'a'].concat(
    ['table', 'thead', 'tbody', 'tr', 'th', 'td'],
    ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ),
);

/** @param below how many levels of headings the page has above the text */
export function markdownElements(text: string, below: number): ComponentChildren[] {
  return childrenOf(markdown.parse(text, {}), below);
}

type Open = { readonly token: Token | null; readonly children: ComponentChildren[] };

/** The parser tells of beginnings and ends; elements contain each other. */
function childrenOf(tokens: readonly Token[], below: number): ComponentChildren[] {
  const root: Open = { token: null, children: [] };
  const open: Open[] = [root];
  for (const token of tokens) {
    // A paragraph that is all of a list's item has no room of its own.
    if (token.hidden) continue;
    const inner = open.at(-1) ?? root;
    if (token.nesting === 1) open.push({ token, children: [] });
    else if (token.nesting === -1) {
      const closed = open.pop();
      if (closed !== undefined) (open.at(-1) ?? root).children.push(elementOf(closed, below));
    } else inner.children.push(leafOf(token, below));
  }
  return root.children;
}

function elementOf({ token, children }: Open, below: number): ComponentChildren {
  if (token === null || !elements.has(token.tag)) return children;
  const { tag } = token;
  if (/^h\d$/.test(tag)) return h(`h${Math.min(6, Number(tag.slice(1)) + below)}`, null, children);
  if (tag === 'ol') return h('ol', { start: Number(token.attrGet('start') ?? 1) }, children);
  if (tag === 'th') return h('th', { scope: 'col' }, children);
  if (tag !== 'a') return h(tag, null, children);
  const href = String(token.attrGet('href') ?? '');
  // An address of this site would lead to something that the terms know nothing of.
  return /^(https?:|mailto:)/i.test(href) ? h('a', { href, rel: 'noreferrer' }, children) : children;
}

function leafOf(token: Token, below: number): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return childrenOf(token.children ?? [], below);
    case 'softbreak':
    case 'hardbreak':
      return h('br', null);
    case 'hr':
      return h('hr', null);
    case 'code_inline':
      return h('code', null, token.content);
    case 'fence':
      return h('pre', null, h('code', null, token.content));
    default:
      return token.content;
  }
}
