/** A person who pays by card: opens the link of the mail, reads the page and clicks on Pay. */
import { must, mustEqual } from './checks.ts';

export type PaymentPage = { readonly address: string; readonly text: string };

export async function openPaymentLink(paymentUrl: string): Promise<PaymentPage> {
  const reply = await fetch(paymentUrl);
  mustEqual(reply.status, 200, 'the payment link leads to a page');
  return { address: reply.url, text: readableText(await reply.text()) };
}

/** Submits the page's only form; the reply redirects back to the service. */
export async function clickPay(page: PaymentPage): Promise<PaymentPage> {
  const reply = await fetch(page.address, { method: 'POST', redirect: 'manual' });
  const back = reply.headers.get('location');
  must(reply.status === 303 && back !== null, `the Pay button leads on (${reply.status})`);
  const landed = await fetch(new URL(back, page.address));
  must(landed.ok, `the way back leads to a page (${landed.status})`);
  return { address: landed.url, text: readableText(await landed.text()) };
}

function readableText(html: string): string {
  return html
    .replace(/<(style|script|head)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
