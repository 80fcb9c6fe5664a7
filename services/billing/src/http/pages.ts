/** The few pages of the payment link, for people, on a phone first. Nothing on them comes from outside. */
import { createHash } from 'node:crypto';
import type { Purchase } from '../domain/card-payment.ts';
import type { LinkLeadsTo } from '../follow-payment-link.ts';

export type Page = { readonly status: number; readonly html: string };

type PageKind = Exclude<LinkLeadsTo['kind'], 'session'> | 'busy' | 'thanks' | 'cancelled';
type PageText = readonly [status: number, title: string, body: string];

const tryAgain =
  '<p>The payment page cannot be opened right now. Please try again in a minute.</p>' +
  '<p><a class="button" href="">Try again</a></p>';
const confirming =
  'Your payment is being confirmed, which usually takes seconds. The admins of your organisation then';

/** Of any link, whatever it is for. */
const anyPages = {
  unknown: [
    404,
    'Not found',
    '<p>There is no payment behind this link. Please check that it is complete.</p>',
  ],
  unavailable: [503, 'One moment', tryAgain],
  busy: [429, 'One moment', '<p>This link was opened very often just now. Please try again in a minute.</p>'],
} satisfies Partial<Record<PageKind, PageText>>;

/** They say only what is certain: while a payment is on its way, not even that nothing was charged. */
const pages = {
  offer: {
    ...anyPages,
    paid: [200, 'Paid', '<p>This offer has been paid for. There is nothing more to do.</p>'],
    closed: [
      410,
      'Closed',
      '<p>This offer was deleted. It can no longer be paid for, and nothing was charged.</p>',
    ],
    ended: [
      410,
      'Ended',
      '<p>This offer has ended and can no longer be paid for. Should a payment still be on its way, its net price is ' +
        'credited to the balance of your organisation.</p>',
    ],
    thanks: [200, 'Thank you', `<p>${confirming} get an email. You can close this page.</p>`],
    cancelled: [
      200,
      'Not paid',
      '<p>You left the payment page without paying. The offer waits for its payment.</p>' +
        '<p><a class="button" href="../{token}">Pay now</a></p>',
    ],
  },
  'top-up': {
    ...anyPages,
    paid: [
      200,
      'Paid',
      '<p>This top-up has been paid for. The amount is on the balance of your organisation.</p>',
    ],
    closed: [410, 'Closed', '<p>This top-up was not paid in time and can no longer be paid for.</p>'],
    ended: [
      410,
      'Closed',
      '<p>This top-up was not paid in time and can no longer be paid for. Should a payment still be on its way, it is ' +
        'added to the balance of your organisation.</p>',
    ],
    thanks: [200, 'Thank you', `<p>${confirming} find it on the balance. You can close this page.</p>`],
    cancelled: [
      200,
      'Not paid',
      '<p>You left the payment page without paying. The top-up waits for its payment.</p>' +
        '<p><a class="button" href="../{token}">Pay now</a></p>',
    ],
  },
} satisfies Record<Purchase['kind'], Record<PageKind, PageText>>;

/**
 * @param of what the link is for; where nobody knows, it makes no difference
 * @param token that of the link, which has been found to be well-formed
 */
export function page(kind: PageKind, of: Purchase['kind'] = 'offer', token = ''): Page {
  const [status, title, body] = pages[of][kind];
  return { status, html: frame(title, body.replace('{token}', token)) };
}

const style = `
  :root { color-scheme: light dark }
  body { margin: 0 auto; padding: 3rem 1.25rem; max-width: 32rem; font: 1.0625rem/1.6 system-ui, sans-serif }
  h1 { font-size: 1.5rem; line-height: 1.2 }
  .button { display: inline-block; padding: .75rem 1.5rem; border-radius: .5rem; background: #1a56db; color: #fff; text-decoration: none }
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Nothing but the page's own style may load, and nobody may frame it. */
export const pageHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policy.join('; '),
  // The address is the payer's credential: it goes to nobody.
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
<title>${title} · Payment</title>
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
