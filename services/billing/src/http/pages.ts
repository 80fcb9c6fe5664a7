/** The pages of the payment link. */
import { amountText } from '@offer-ads/contracts/values/amount-text';
import { legible } from '@offer-ads/contracts/values/legible-text';
import {
  escapeHtml,
  foreignHtml,
  type WebPage,
  webPage,
  webPageHeaders,
} from '@offer-ads/platform/pages/web-page';
import type { CardPayment, Purchase } from '../domain/payments/card-payment.ts';

type PageText = readonly [status: number, title: string, body: string];

/** Pages that say nothing about the payment, because it is unknown or could not be read. */
const anyPages = {
  unknown: [
    404,
    'Not found',
    '<p>There is no payment behind this link. Please check that it is complete.</p>',
  ],
  unavailable: [
    503,
    'One moment',
    '<p>The payment page cannot be opened right now. Please try again in a minute.</p>' +
      '<p><a class="button" href="">Try again</a></p>',
  ],
  busy: [429, 'One moment', '<p>This link was opened very often just now. Please try again in a minute.</p>'],
} satisfies Record<string, PageText>;

type StateKind = 'paid' | 'closed' | 'ended' | 'thanks' | 'cancelled';

/** They state only what is certain. While a payment may be on its way, they do not say that nothing was charged. */
const texts = {
  offer: {
    paid: [200, 'Paid', 'This offer has been paid for. There is nothing more to do.'],
    closed: [410, 'Closed', 'This offer was deleted. It can no longer be paid for, and nothing was charged.'],
    ended: [
      410,
      'Ended',
      'This offer has ended and can no longer be paid for. Should a payment still be on its way, its net price is ' +
        'credited to the balance of your organisation.',
    ],
    thanks: [
      200,
      'Thank you',
      'Your payment is being confirmed, which usually takes seconds. Your organisation then sees that the offer is paid.',
    ],
    cancelled: [
      200,
      'Not paid',
      'You left the payment page without paying. The offer waits for its payment.',
    ],
  },
  group: {
    paid: [200, 'Paid', 'These offers have been paid for. There is nothing more to do.'],
    closed: [
      410,
      'Closed',
      'These offers were deleted. They can no longer be paid for, and nothing was charged.',
    ],
    ended: [
      410,
      'Ended',
      'These offers have ended and can no longer be paid for. Should a payment still be on its way, its net price is ' +
        'added to the balance of your organisation.',
    ],
    thanks: [
      200,
      'Thank you',
      'Your payment is being confirmed, which usually takes seconds. Your organisation then sees that the offers are paid.',
    ],
    cancelled: [
      200,
      'Not paid',
      'You left the payment page without paying. The offers wait for their payment.',
    ],
  },
  'top-up': {
    paid: [200, 'Paid', 'This top-up has been paid for. The amount is on the balance of your organisation.'],
    closed: [410, 'Closed', 'This top-up was not paid in time and can no longer be paid for.'],
    ended: [
      410,
      'Closed',
      'This top-up was not paid in time and can no longer be paid for. Should a payment still be on its way, it is ' +
        'added to the balance of your organisation.',
    ],
    thanks: [
      200,
      'Thank you',
      'Your payment is being confirmed, which usually takes seconds. The admins of your organisation then find it on the balance.',
    ],
    cancelled: [
      200,
      'Not paid',
      'You left the payment page without paying. The top-up waits for its payment.',
    ],
  },
} satisfies Record<Purchase['kind'], Record<StateKind, PageText>>;

type Found =
  | { readonly kind: StateKind | 'unavailable'; readonly payment: CardPayment }
  | { readonly kind: keyof typeof anyPages };

export function paymentPage(portalUrl: string, found: Found): WebPage {
  switch (found.kind) {
    case 'unknown':
    case 'unavailable':
    case 'busy': {
      const [status, title, body] = anyPages[found.kind];
      return { status, html: webPage({ title: `${title} · Payment`, heading: title, body }) };
    }
    case 'paid':
    case 'closed':
    case 'ended':
    case 'thanks':
    case 'cancelled': {
      const { kind, payment } = found;
      const [status, title, text] = texts[payment.purchase.kind][kind];
      const button =
        kind === 'cancelled'
          ? `<p><a class="button" href="../${payment.payToken}">Pay now</a></p>\n${portalLink(portalUrl, payment, 'link')}`
          : portalLink(portalUrl, payment);
      const body = `<p>${text}</p>\n${receipt(payment)}\n${button}`;
      const done = kind === 'paid' || kind === 'thanks';
      return { status, html: webPage({ title: `${title} · Payment`, heading: title, body, done }) };
    }
  }
}

/** What is bought, and the amount that the card pays. The payer saw both on the payment page. */
function receipt({ title, netMinor, vatMinor, book, purchase }: CardPayment): string {
  const amount = (minor: bigint) => escapeHtml(amountText(minor, book.currency, 'GB'));
  const rows = [
    purchase.kind === 'top-up'
      ? ['For', 'Prepaid balance']
      : [purchase.kind === 'group' ? 'Offers' : 'Offer', foreignHtml(legible(title))],
    ['Amount', amount(netMinor + vatMinor)],
    ...(vatMinor > 0n ? [['Of this, VAT', amount(vatMinor)]] : []),
    ...(book.mode === 'TEST' ? [['Mode', 'TEST: no card is charged']] : []),
  ];
  return `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`;
}

/** People without access to the portal are asked to sign in there. */
function portalLink(
  portalUrl: string,
  { book, purchase }: CardPayment,
  look: 'button' | 'link' = 'button',
): string {
  const mode = book.mode.toLowerCase();
  const [path, label] = destinations(purchase);
  const address = escapeHtml(`${portalUrl}/${mode}/${path}`);
  return `<p><a${look === 'button' ? ' class="button"' : ''} href="${address}">${label}</a></p>\n<p class="quiet">You can also close this page.</p>`;
}

function destinations(purchase: Purchase): readonly [path: string, label: string] {
  switch (purchase.kind) {
    case 'offer':
      return [`offers/${purchase.offerId}`, 'Go to the offer'];
    case 'group':
      return ['offers', 'Go to the offers'];
    case 'top-up':
      return ['money', 'Go to the balance'];
  }
}

export const pageHeaders = webPageHeaders({ hasForm: false });
