/** The money of an organisation in a mode: balance, revenue, statement and invoices. */
import type { OneOrganisation } from '@offer-ads/contracts/admin/gateway-api';
import type { InvoicesReply, StatementReply } from '@offer-ads/contracts/internal/billing-api';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { useRoute } from 'preact-iso';
import { entryText, signOf } from '../../../ui/entry-text.ts';
import { Notice } from '../../../ui/notice.tsx';
import { queryOf } from '../../../ui/query-of.ts';
import { Loaded, LoadMore } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { ActionButton } from '../may.tsx';
import { ModeTabs, useMode } from '../mode-tabs.tsx';
import { Money } from '../money.tsx';
import { AddMoneyDialog } from '../organisations/add-money-dialog.tsx';
import { Part } from '../organisations/organisation-parts.tsx';
import { useBalance } from '../organisations/organisation-trade.tsx';
import { Revenue } from '../revenue.tsx';
import { usePages, useRead } from '../session.ts';
import { useAction } from '../use-action.ts';

export function OrganisationMoney() {
  const { id = '' } = useRoute().params;
  const mode = useMode();
  const found = useRead<OneOrganisation>(`/gateway/organisations/${id}`);
  const name = found.data?.name ?? `organisation ${id}`;
  return (
    <ConsolePage
      title={`Money of ${name}`}
      lead={
        <>
          <a href="/organisations">Organisations</a> / <a href={`/organisations/${id}`}>{id}</a> / money
        </>
      }
    >
      <ModeTabs path={`/organisations/${id}/money`} />
      <Loaded query={found} what="the organisation" lines={12}>
        {({ id, currency }) => <Shown key={mode} id={id} mode={mode} currency={currency} />}
      </Loaded>
    </ConsolePage>
  );
}

type OfMode = { readonly id: number; readonly mode: Mode; readonly currency: string };

function Shown(of: OfMode) {
  const { id, mode, currency } = of;
  const { asking, done, begin, end } = useAction<'add'>();
  const balance = useBalance(id, mode, currency);
  return (
    <>
      {done !== null && <Notice kind="good">{done}</Notice>}
      <section class="card" aria-labelledby="balance">
        <div class="row spread">
          <h2 id="balance">Balance</h2>
          <ActionButton call="POST /billing/balances/top-up" onClick={() => begin('add')}>
            Add money …
          </ActionButton>
        </div>
        <Loaded query={balance} what="the balance" lines={1}>
          {({ balanceMinor }) => (
            <p>
              <strong>
                <Money minor={balanceMinor} currency={currency} />
              </strong>
            </p>
          )}
        </Loaded>
      </section>
      <Revenue organisationId={id} mode={mode} currency={currency} />
      <Statement {...of} />
      <Invoices {...of} />
      {asking !== null && <AddMoneyDialog organisationId={id} mode={mode} currency={currency} close={end} />}
    </>
  );
}

function Statement({ id, mode, currency }: OfMode) {
  const query = queryOf({ organisationId: `${id}`, mode, currency, limit: '25' });
  const pages = usePages<StatementReply>(`/billing/balances/statement${query}`);
  const entries = pages.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Part title="Statement" query={pages} empty={entries.length === 0 ? 'No transactions' : null}>
      {() => (
        <>
          <Table
            rows={entries}
            keyOf={({ cause }) => cause}
            columns={[
              { title: 'When', cell: ({ bookedAt }) => <When at={bookedAt} /> },
              {
                title: 'What',
                cell: ({ kind, offerId, title, cause, card }) => (
                  <div class="as-written">
                    {entryText(kind)}
                    {title !== null && (
                      <>
                        : {offerId === null ? <bdi>{title}</bdi> : <a href={`/offers/${offerId}`}>{title}</a>}
                      </>
                    )}
                    <span class="muted small">
                      <br />
                      {cause}
                      {card !== null && (
                        <>
                          , by card <Money minor={card.netMinor} currency={currency} /> and{' '}
                          <Money minor={card.vatMinor} currency={currency} /> VAT
                        </>
                      )}
                    </span>
                  </div>
                ),
              },
              {
                title: 'Amount',
                numeric: true,
                cell: ({ amountMinor }) => (
                  <>
                    {signOf(amountMinor)}
                    <Money minor={amountMinor} currency={currency} />
                  </>
                ),
              },
              {
                title: 'Balance',
                numeric: true,
                cell: ({ balanceMinor }) => <Money minor={balanceMinor} currency={currency} />,
              },
            ]}
          />
          <LoadMore of={pages} />
        </>
      )}
    </Part>
  );
}

function Invoices({ id, mode }: OfMode) {
  const query = queryOf({ organisationId: `${id}`, mode, limit: '25' });
  const pages = usePages<InvoicesReply>(`/billing/invoices${query}`);
  const invoices = pages.data?.pages.flatMap((page) => page.invoices) ?? [];
  return (
    <Part
      title="Invoices and credit notes"
      query={pages}
      empty={invoices.length === 0 ? 'No invoices' : null}
    >
      {() => (
        <>
          <Table
            rows={invoices}
            keyOf={({ number }) => number}
            columns={[
              { title: 'Number', kind: 'name', cell: ({ number }) => number },
              {
                title: 'For',
                cell: ({ title, invoiceNumber }) => (
                  <div class="as-written">
                    {title ?? 'Top-up of the balance'}
                    {invoiceNumber !== null && <span class="muted small"> ({invoiceNumber})</span>}
                  </div>
                ),
              },
              { title: 'Date', cell: ({ issuedAt }) => <When at={issuedAt} precision="utc-day" /> },
              {
                title: 'With VAT',
                numeric: true,
                cell: ({ document: kind, grossMinor, currency }) => (
                  <Money minor={kind === 'credit-note' ? `-${grossMinor}` : grossMinor} currency={currency} />
                ),
              },
              {
                title: 'Document',
                cell: ({ number }) => (
                  <a href={`/api/billing/invoices/${number}.pdf`} download aria-label={`${number} as PDF`}>
                    PDF
                  </a>
                ),
              },
            ]}
          />
          <LoadMore of={pages} />
        </>
      )}
    </Part>
  );
}
