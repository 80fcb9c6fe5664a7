/**
 * Renders Markdown as elements, never by inserting HTML. Raw HTML is shown as text; pictures are left out.
 */
import createMarkdown, { type Token } from 'markdown-it';
import { type ComponentChildren, h } from 'preact';

// Terms are prose: indented lines do not become code.
const markdown = createMarkdown({ html: false, linkify: false }).disable(['code', 'image']);

/** The allowed elements. Of others only the content is shown. */
const elements = new Set(
  ['p', 'ul', 'ol', 'li', 'blockquote', 'strong', 'em', 's', 'hr', 'br', 'code', 'pre', 'a'].concat(
    ['table', 'thead', 'tbody', 'tr', 'th', 'td'],
    ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ),
);

/** @param below number of heading levels above the text on the page */
export function markdownElements(text: string, below: number): ComponentChildren[] {
  return childrenOf(markdown.parse(text, {}), below);
}

type Open = { readonly token: Token | null; readonly children: ComponentChildren[] };

/** The parser returns a flat list of start and end tokens; this nests them. */
function childrenOf(tokens: readonly Token[], below: number): ComponentChildren[] {
  const root: Open = { token: null, children: [] };
  const open: Open[] = [root];
  for (const token of tokens) {
    // The only paragraph of a list item is shown without a paragraph element.
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
  // Only absolute addresses become links: a relative one would lead to an unrelated page of the portal.
  return /^(https?:|mailto:)/i.test(href) ? h('a', { href, rel: 'noreferrer' }, children) : children;
}

function leafOf(token: Token, below: number): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return childrenOf(token.children ?? [], below);
    case 'softbreak':
      return '\n';
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
