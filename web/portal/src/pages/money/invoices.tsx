/** The list of invoices and credit notes, to read and to download. */
import type { InvoiceSummary } from '@offer-ads/contracts/internal/billing-api';
import { ReceiptText } from 'lucide';
import { Empty, Loaded, LoadMore } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { useAmounts } from '../../amounts/amounts.ts';
import { useBillingDetails } from '../../organisation.ts';
import { usePortal } from '../../session.ts';
import { documentAddress, useInvoices } from './money-data.ts';
import { OfferName } from './offer-name.tsx';

export function Invoices() {
  const { mode, at } = usePortal();
  const amount = useAmounts();
  const invoices = useInvoices();
  const details = useBillingDetails();
  const listed = invoices.data?.pages.flatMap((page) => page.invoices) ?? [];
  return (
    <section class="card" aria-labelledby="money-invoices">
      <h2 id="money-invoices">Invoices</h2>
      {details.data?.address.length === 0 && (
        <p class="notice warning">
          <span>
            Invoices show no address of your organisation yet:{' '}
            <a href={`${at('settings')}#billing-details`}>add it in Settings</a>. Invoices that were issued
            before stay as they are.
          </span>
        </p>
      )}
      <Loaded query={invoices} what="invoices" lines={4}>
        {() =>
          listed.length === 0 && (
            <Empty title="No invoices yet" icon={ReceiptText}>
              <p class="muted">
                Each card payment for an offer or a top-up gets an invoice, and a refund of it a credit note.
              </p>
            </Empty>
          )
        }
      </Loaded>
      {listed.length > 0 && (
        <Table
          rows={listed}
          keyOf={(invoice) => invoice.number}
          columns={[
            {
              title: 'Number',
              cell: ({ number, document: kind }) => (
                <span class="row">
                  {number}
                  {kind !== 'invoice' && <span class="badge">{kindTexts[kind]}</span>}
                </span>
              ),
            },
            {
              title: 'For',
              cell: (invoice) => (
                <div class="as-written">
                  {invoice.kind === 'top-up' ? (
                    'Top-up of the balance'
                  ) : (
                    <>
                      {invoice.kind === 'group' ? 'Offers' : 'Offer'}:{' '}
                      <OfferName id={invoice.offerId} title={invoice.title} />
                    </>
                  )}
                  {invoice.invoiceNumber !== null && (
                    <span class="muted small">
                      <br />
                      {originOf(invoice)}
                    </span>
                  )}
                </div>
              ),
            },
            { title: 'Date', cell: (invoice) => <When at={invoice.issuedAt} precision="utc-day" /> },
            {
              title: 'With VAT',
              numeric: true,
              cell: ({ document: kind, grossMinor, currency }) =>
                amount(kind === 'credit-note' ? `-${grossMinor}` : grossMinor, currency),
            },
            {
              title: 'Document',
              cell: (invoice) => (
                <span class="row document-links">
                  <a
                    href={documentAddress(mode, `${invoice.number}.html`)}
                    target="_blank"
                    rel="noreferrer"
                    aria-label={`Read ${invoice.number}`}
                  >
                    Read
                  </a>
                  <a
                    href={documentAddress(mode, `${invoice.number}.pdf`)}
                    download
                    aria-label={`${invoice.number} as PDF`}
                  >
                    PDF
                  </a>
                </span>
              ),
            },
          ]}
        />
      )}
      <LoadMore of={invoices} />
    </section>
  );
}

const kindTexts = { 'credit-note': 'Credit note', cancellation: 'Cancellation' } as const;

/** What the refund was of, or why there is a cancellation. */
function originOf({ invoiceNumber, cancelsNumber }: InvoiceSummary): string {
  return cancelsNumber === null
    ? `refunded from ${invoiceNumber}`
    : `the refund failed: ${cancelsNumber} of ${invoiceNumber} is cancelled`;
}
