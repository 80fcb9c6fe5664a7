/** The payment page of a Checkout Session: the purchase, its price and one button. */
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { escapeHtml } from '@offer-ads/contracts/values/html-text';
import { page } from '../web-server.ts';
import { type CheckoutSession, lineTotals, sessionTotals, statusAt } from './objects.ts';

export function paymentPage(session: CheckoutSession, nowSeconds: number): string {
  switch (statusAt(session, nowSeconds)) {
    case 'complete':
      return page(
        'Already paid',
        '<h1>This payment has been made</h1><p>Nothing is left to pay on this page.</p>',
      );
    case 'expired':
      return page('Page expired', '<h1>This payment page has expired</h1><p>Nothing was charged.</p>');
    case 'open':
      return openPage(session);
  }
}

export function unknownPage(): string {
  return page('Not found', '<h1>There is no such payment page</h1>');
}

function openPage(session: CheckoutSession): string {
  const totals = sessionTotals(session);
  const money = (minor: number) => amount(minor, session.currency);
  const mode = session.livemode ? 'Live mode' : 'Test mode';
  const taxes = session.lines.flatMap((line) => lineTotals(line).taxes);
  return page(
    `Pay ${money(totals.total)}`,
    `<p class="quiet">${mode} · simulated payment page, no card is charged</p>
<h1>Pay ${money(totals.total)}</h1>
<table>
${session.lines.map((line) => row(line.quantity > 1 ? `${line.quantity} × ${line.name}` : line.name, money(lineTotals(line).subtotal))).join('\n')}
${taxes.map(({ rate, amount }) => row(`${rate.display_name} (${rate.percentage}%)`, money(amount))).join('\n')}
${row('Total', money(totals.total), 'total')}
</table>
<form method="post">
<button type="submit">Pay ${money(totals.total)}</button>
</form>
${session.cancelUrl ? `<p class="quiet"><a href="${escapeHtml(session.cancelUrl)}">Back without paying</a></p>` : ''}`,
  );
}

function row(label: string, amount: string, kind = ''): string {
  return `<tr class="${kind}"><td>${escapeHtml(label)}</td><td class="amount">${amount}</td></tr>`;
}

function amount(minor: number, currency: string): string {
  const code = currency.toUpperCase();
  return `${formatMinor(BigInt(minor), code)} ${code}`;
}
