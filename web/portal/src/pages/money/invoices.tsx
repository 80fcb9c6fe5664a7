/** The list of invoices, to read and to download. */
import { BusyButton } from '../../../../ui/busy-button.tsx';
import { Empty, Failed, Loading } from '../../../../ui/states.tsx';
import { When } from '../../../../ui/when.tsx';
import { useAmounts } from '../../amounts.ts';
import { usePortal } from '../../session.ts';
import { useInvoices } from './money-data.ts';

export function Invoices() {
  const { mode } = usePortal();
  const amount = useAmounts();
  const invoices = useInvoices();
  const listed = invoices.data?.pages.flatMap((page) => page.invoices) ?? [];
  const document = (file: string) => `/portal/api/${mode}/billing/invoices/${file}`;
  return (
    <section class="card" aria-labelledby="money-invoices">
      <h2 id="money-invoices">Invoices</h2>
      {invoices.isPending && <Loading what="invoices" lines={4} />}
      {invoices.isError && <Failed error={invoices.error} retry={invoices.refetch} />}
      {invoices.isSuccess && listed.length === 0 && (
        <Empty title="No invoices yet">
          <p class="muted">Each card payment for an offer or a top-up gets an invoice.</p>
        </Empty>
      )}
      {listed.length > 0 && (
        <table class="cells">
          <thead>
            <tr>
              <th scope="col">Number</th>
              <th scope="col">For</th>
              <th scope="col">Paid</th>
              <th scope="col" class="numeric">
                With VAT
              </th>
              <th scope="col">Document</th>
            </tr>
          </thead>
          <tbody>
            {listed.map((invoice) => (
              <tr key={invoice.number}>
                <td data-label="Number">{invoice.number}</td>
                <td data-label="For">
                  {invoice.kind === 'top-up'
                    ? 'Top-up of the balance'
                    : `Offer: ${invoice.title ?? invoice.offerId}`}
                </td>
                <td data-label="Paid">
                  <When at={invoice.paidAt} precision="day" />
                </td>
                <td data-label="With VAT" class="numeric">
                  {amount(invoice.grossMinor, invoice.currency)}
                </td>
                <td data-label="Document">
                  <span class="row">
                    <a
                      href={document(`${invoice.number}.html`)}
                      target="_blank"
                      rel="noreferrer"
                      aria-label={`Read ${invoice.number}`}
                    >
                      Read
                    </a>
                    <a
                      href={document(`${invoice.number}.pdf`)}
                      download
                      aria-label={`${invoice.number} as PDF`}
                    >
                      PDF
                    </a>
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {invoices.hasNextPage && (
        <div>
          <BusyButton class="quiet" work={() => invoices.fetchNextPage()}>
            Load more
          </BusyButton>
        </div>
      )}
    </section>
  );
}
