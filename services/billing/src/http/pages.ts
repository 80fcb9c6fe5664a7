/** The pages of the payment link. */
import { amountText } from '@offer-ads/contracts/values/amount-text';
import { escapeHtml } from '@offer-ads/contracts/values/html-text';
import { legible } from '@offer-ads/contracts/values/legible-text';
import { foreignHtml, type WebPage, webPage, webPageHeaders } from '@offer-ads/platform/pages/web-page';
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

const states = {
  paid: [200, 'Paid'],
  closed: [410, 'Closed'],
  ended: [410, 'Ended'],
  thanks: [200, 'Thank you'],
  cancelled: [200, 'Not paid'],
} as const;
type StateKind = keyof typeof states;
type Texts = Readonly<Record<StateKind, string>>;

const onItsWay =
  'Should a payment still be on its way, its net price is added to the balance of your organisation.';
const confirming = 'Your payment is being confirmed, which usually takes seconds.';
const left = 'You left the payment page without paying.';

/** They state only what is certain. While a payment may be on its way, they do not say that nothing was charged. */
const texts: Readonly<Record<Purchase['kind'], Texts>> = {
  offer: {
    paid: 'This offer has been paid for. There is nothing more to do.',
    closed: 'This offer was deleted. It can no longer be paid for, and nothing was charged.',
    ended: `This offer has ended and can no longer be paid for. ${onItsWay}`,
    thanks: `${confirming} Your organisation then sees that the offer is paid.`,
    cancelled: `${left} The offer waits for its payment.`,
  },
  group: {
    paid: 'These offers have been paid for. There is nothing more to do.',
    closed: 'These offers were deleted. They can no longer be paid for, and nothing was charged.',
    ended: `These offers have ended and can no longer be paid for. ${onItsWay}`,
    thanks: `${confirming} Your organisation then sees that the offers are paid.`,
    cancelled: `${left} The offers wait for their payment.`,
  },
  'top-up': {
    paid: 'This top-up has been paid for. The amount is on the balance of your organisation.',
    closed: 'This top-up was not paid in time and can no longer be paid for.',
    ended: `This top-up was not paid in time and can no longer be paid for. ${onItsWay}`,
    thanks: `${confirming} The admins of your organisation then find it on the balance.`,
    cancelled: `${left} The top-up waits for its payment.`,
  },
};

type OfState = { readonly kind: StateKind; readonly payment: CardPayment };
type Found = OfState | { readonly kind: keyof typeof anyPages };

function isOfState(found: Found): found is OfState {
  return found.kind in states;
}

export function paymentPage(portalUrl: string, found: Found): WebPage {
  if (!isOfState(found)) {
    const [status, title, body] = anyPages[found.kind];
    return { status, html: webPage({ title: `${title} · Payment`, heading: title, body }) };
  }
  const { kind, payment } = found;
  const [status, title] = states[kind];
  const button =
    kind === 'cancelled'
      ? `<p><a class="button" href="../${payment.payToken}">Pay now</a></p>\n${portalLink(portalUrl, payment, 'link')}`
      : portalLink(portalUrl, payment);
  const body = `<p>${texts[payment.purchase.kind][kind]}</p>\n${receipt(payment)}\n${button}`;
  const done = kind === 'paid' || kind === 'thanks';
  return { status, html: webPage({ title: `${title} · Payment`, heading: title, body, done }) };
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

function destinations({ kind, id }: Purchase): readonly [path: string, label: string] {
  switch (kind) {
    case 'offer':
      return [`offers/${id}`, 'Go to the offer'];
    case 'group':
      return [`offers/groups/${id}`, 'Go to the offers'];
    case 'top-up':
      return ['money', 'Go to the balance'];
  }
}

export const pageHeaders = webPageHeaders({ hasForm: false });
