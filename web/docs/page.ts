/** The frame of the guides' pages. It works without JavaScript, which only adds search, copy buttons and themes. */
import { fontAtOnce, pageHead } from '@offer-ads/contracts/portal/site-page';
import { escapeHtml as escape } from '@offer-ads/contracts/values/html-text';
import type { Heading, RenderedGuide } from './markdown.ts';

/** Addresses under `/docs/assets`, which contain a hash of the content. */
export type Assets = {
  readonly icon: string;
  /** The part of the font that every page needs. */
  readonly font: string;
  readonly style: string;
  readonly script: string;
  /** Runs before the page is painted. */
  readonly early: string;
  readonly searchIndex: string;
};

export type NavigationEntry = { readonly address: string; readonly title: string };

type Frame = {
  readonly navigation: readonly NavigationEntry[];
  readonly assets: Assets;
  /** The title of the reference that the page belongs to; otherwise it is a guide. */
  readonly reference?: string;
};

export function guidePage(o: Frame & { readonly guide: RenderedGuide; readonly at: number }): string {
  const { guide, at, navigation } = o;
  const title = at === 0 ? 'Guides · Offer Ads' : `${guide.title} · Offer Ads`;
  const article = `<article>
${guide.html}${neighbours(navigation[at - 1], navigation[at + 1])}</article>
${contents(guide.headings)}`;
  const { address } = navigation[at] ?? { address: '' };
  const markdown = at === 0 ? `${address}/README.md` : `${address}.md`;
  return framed({ ...o, title, description: guide.summary, current: address, main: article, markdown });
}

export function referencePage(
  o: Frame & {
    readonly title: string;
    readonly description: string;
    readonly current: string;
    readonly html: string;
    readonly headings: readonly Heading[];
  },
): string {
  return framed({
    ...o,
    main: `<article class="reference">\n${o.html}\n</article>\n${contents(o.headings)}`,
  });
}

export function notFoundPage(o: Frame): string {
  const guides = o.navigation.map(
    ({ address, title }) => `<li><a href="${address}">${escape(title)}</a></li>`,
  );
  const article = `<article>
<h1>There is no such page</h1>
<p>The address may be mistyped, or the page has another name by now. Choose a guide:</p>
<ul>
${guides.join('\n')}
<li><a href="/docs/reference">API reference</a></li>
</ul>
</article>`;
  return framed({
    ...o,
    title: 'Not found · Offer Ads',
    description: '',
    current: undefined,
    main: article,
  });
}

function framed(
  o: Frame & {
    readonly title: string;
    readonly description: string;
    readonly current: string | undefined;
    readonly main: string;
    /** The address of the same guide for programs. */
    readonly markdown?: string;
  },
): string {
  const { assets } = o;
  const same =
    o.markdown === undefined ? [] : [`<link rel="alternate" type="text/markdown" href="${o.markdown}">`];
  const elements = [
    fontAtOnce(assets.font),
    ...same,
    `<link rel="stylesheet" href="${assets.style}">`,
    `<script src="${assets.early}"></script>`,
    `<script type="module" src="${assets.script}" data-search="${assets.searchIndex}"></script>`,
  ];
  const { icon } = assets;
  return `${pageHead({ title: escape(o.title), description: escape(o.description), icon, elements })}
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="top">
<a class="brand" href="/docs"><img class="mark" src="${icon}" alt="" width="28" height="28"><span>Offer Ads</span> <span class="brand-site">Docs</span></a>
<search class="with-script">
<label class="hidden" for="search">Search guides and reference</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-controls="found" aria-keyshortcuts="/">
<div id="found" hidden><p class="hidden" role="status"></p><ul></ul></div>
</search>
<nav class="sites" aria-label="Elsewhere">
${o.reference === undefined ? '<a href="/docs/reference">API reference</a>' : '<a href="/docs">Guides</a>'}
<a class="button quiet" href="/portal">Portal</a>
</nav>
<div class="theme with-script">
<select id="theme" aria-label="Theme"><option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option></select>
</div>
</header>
<div class="columns">
${menu(o)}
<main id="main" tabindex="-1">
${o.main}
</main>
</div>
</body>
</html>
`;
}

/** The menu is rendered twice: beside the text on wide screens, folded above it on narrow ones. CSS hides one of them. */
function menu({ navigation, current, reference }: Frame & { readonly current: string | undefined }): string {
  const name = reference ?? 'Guides';
  const links = navigation
    .map(({ address, title }) => {
      const here = address === current ? ' aria-current="page"' : '';
      return `<li><a href="${address}"${here}>${escape(title)}</a></li>`;
    })
    .join('\n');
  return `<nav class="guides" aria-label="${name}"><ul>
${links}
</ul></nav>
<details class="guides-folded"><summary>${reference === undefined ? 'All guides' : name}</summary>
<nav aria-label="${name}, folded"><ul>
${links}
</ul></nav></details>`;
}

function contents(headings: readonly Heading[]): string {
  if (headings.length < 2) return '';
  let above = '';
  const links = headings
    .filter(({ level }) => level <= 3)
    .map(({ level, id, text }) => {
      if (level === 2) above = text;
      // Below the heading "POST /offers", the heading "POST /offers 400 E1" is listed as "400 E1".
      const short = level === 3 && text.startsWith(`${above} `) ? text.slice(above.length + 1) : text;
      return `<li${level === 3 ? ' class="deeper"' : ''}><a href="#${id}">${escape(short)}</a></li>`;
    });
  return `<nav class="contents" aria-label="On this page">
<p>On this page</p>
<ul>
${links.join('\n')}
</ul>
</nav>`;
}

function neighbours(previous: NavigationEntry | undefined, next: NavigationEntry | undefined): string {
  const link = (to: NavigationEntry | undefined, rel: string, label: string) =>
    to === undefined
      ? ''
      : `<a rel="${rel}" href="${to.address}"><span>${label}</span> ${escape(to.title)}</a>\n`;
  return `<nav class="neighbours" aria-label="Before and after this guide">
${link(previous, 'prev', 'Previous')}${link(next, 'next', 'Next')}</nav>
`;
}
