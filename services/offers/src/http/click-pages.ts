/** The pages of click addresses that lead nowhere. */
import { type WebPage, webPage } from '@offer-ads/platform/pages/web-page';

const pages = {
  forged: [404, 'Not found', 'There is no offer behind this link. Please check that it is complete.'],
  expired: [
    410,
    'This link has expired',
    'A link works for a day. Please look for the offer where you saw it.',
  ],
  gone: [410, 'This offer is gone', 'It is not shown any more.'],
  unavailable: [503, 'One moment', 'The offer cannot be opened right now. Please try again in a minute.'],
} as const satisfies Record<string, readonly [status: number, heading: string, text: string]>;

export function clickPage(kind: keyof typeof pages): WebPage {
  const [status, heading, text] = pages[kind];
  return { status, html: webPage({ title: heading, heading, body: `<p>${text}</p>` }) };
}
