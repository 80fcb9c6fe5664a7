/** The two pages behind the link that ends mails of one kind, for people, on a phone first. */
import { createHash } from 'node:crypto';
import { foreign, oneLineHtml } from '../domain/plain-text.ts';

export type UnsubscribePage = { readonly status: number; readonly html: string };

type About = {
  /** Such as "ended offers". */
  readonly subject: string;
  /** Undefined while nothing was heard of the organisation. */
  readonly organisation: string | undefined;
  readonly portalUrl: string;
};

export function askPage(about: About): UnsubscribePage {
  return {
    status: 200,
    html: frame(
      'Stop these mails?',
      `<p>You get mails about ${subjectOf(about)}. Do you want no more of them?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>No more such mails</button></form>
<p class="quiet">Mails about payments, credits and signing in are not affected.</p>`,
    ),
  };
}

export function donePage(about: About): UnsubscribePage {
  return {
    status: 200,
    html: frame(
      'No more such mails',
      `<p>You get no more mails about ${subjectOf(about)}. One that is on its way may still come.</p>
<p>Whoever signs in to <a href="${oneLineHtml(about.portalUrl)}">the advertiser portal</a> can switch them on again.</p>`,
    ),
  };
}

export function unknownPage(): UnsubscribePage {
  return {
    status: 404,
    html: frame('Not found', '<p>This link is not complete. Please open it from the mail again.</p>'),
  };
}

function subjectOf({ subject, organisation }: About): string {
  const of = organisation === undefined ? '' : ` of ${foreign(organisation)}`;
  return oneLineHtml(`${subject}${of}`);
}

const style = `
  :root { color-scheme: light dark; --accent: light-dark(#1a56db, #8ab4ff); --on-accent: light-dark(#fff, #0b1a33); --quiet: light-dark(#565c66, #a7adb8) }
  body { margin: 0 auto; padding: 3rem 1.25rem; max-width: 32rem; font: 1.0625rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere }
  h1 { font-size: 1.5rem; line-height: 1.2 }
  a { color: var(--accent) }
  button { padding: .75rem 1.5rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer }
  :is(a, button):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  .quiet { color: var(--quiet); font-size: .9375rem }
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];

/** Nothing but the page's own style may load, nobody may frame it, and its address goes to nobody. */
export const unsubscribePageHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policy.join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
} as const;

function frame(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}
