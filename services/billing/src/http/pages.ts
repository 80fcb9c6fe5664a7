/** The pages of the payment link. */
import { type WebPage, webPage, webPageHeaders } from '@offer-ads/platform/pages/web-page';
import type { LinkLeadsTo } from '../checkouts/follow-payment-link.ts';
import type { Purchase } from '../domain/payments/card-payment.ts';

type PageKind = Exclude<LinkLeadsTo['kind'], 'session'> | 'busy' | 'thanks' | 'cancelled';
type PageText = readonly [status: number, title: string, body: string];

const tryAgain =
  '<p>The payment page cannot be opened right now. Please try again in a minute.</p>' +
  '<p><a class="button" href="">Try again</a></p>';
const confirming =
  'Your payment is being confirmed, which usually takes seconds. The admins of your organisation then';

/** Pages for links of either kind. */
const anyPages = {
  unknown: [
    404,
    'Not found',
    '<p>There is no payment behind this link. Please check that it is complete.</p>',
  ],
  unavailable: [503, 'One moment', tryAgain],
  busy: [429, 'One moment', '<p>This link was opened very often just now. Please try again in a minute.</p>'],
} satisfies Partial<Record<PageKind, PageText>>;

/** They state only what is certain. While a payment may be on its way, they do not say that nothing was charged. */
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
 * @param of the kind of purchase; where the kind is unknown, both kinds have the same page
 * @param token the link's token, already checked for its form
 */
export function page(kind: PageKind, of: Purchase['kind'] = 'offer', token = ''): WebPage {
  const [status, title, body] = pages[of][kind];
  const html = webPage({ title: `${title} · Payment`, heading: title, body: body.replace('{token}', token) });
  return { status, html };
}

export const pageHeaders = webPageHeaders({ hasForm: false });
