/** The statement: bookings, newest first, each with the balance after it. */
import { Wallet } from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import { entryText, signOf } from '../../../../ui/entry-text.ts';
import { Empty, Loaded, LoadMore } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { useAmounts } from '../../amounts/amounts.ts';
import { Download } from '../../download.tsx';
import { useOrganisation } from '../../organisation.ts';
import { usePortal } from '../../session.ts';
import { rangeOf, useStatement } from './money-data.ts';
import { latestMonths } from './periods.ts';

export function Statement() {
  const { mode } = usePortal();
  const amount = useAmounts();
  const { data: { registeredAt } = {} } = useOrganisation();
  const months = useMemo(
    () => (registeredAt === undefined ? [] : latestMonths(new Date(), 13, new Date(registeredAt))),
    [registeredAt],
  );
  const [month, setMonth] = useState(-1);
  const period = months[month] ?? null;
  const range = rangeOf(period);
  const statement = useStatement(period);
  const [first] = statement.data?.pages ?? [];
  const entries = statement.data?.pages.flatMap((page) => page.entries) ?? [];
  const currency = first?.currency;
  return (
    <section class="card" aria-labelledby="money-statement">
      <div class="row spread">
        <h2 id="money-statement">Statement</h2>
        <div class="row">
          {entries.length > 0 && (
            <Download
              path={`/${mode}/billing/statement.csv${range === '' ? '' : `?${range.slice(1)}`}`}
              name={period === null ? 'statement' : `statement-${period.from.toISOString().slice(0, 7)}`}
            >
              Download CSV
            </Download>
          )}
          <label class="row">
            <span>Period</span>
            <select value={month} onChange={(event) => setMonth(Number(event.currentTarget.value))}>
              <option value={-1}>Everything</option>
              {months.map(({ label }, index) => (
                <option key={label} value={index}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        </div>
      </div>
      <Loaded query={statement} what="the statement" lines={6}>
        {() => entries.length === 0 && <Empty title="No transactions yet" icon={Wallet} />}
      </Loaded>
      {first !== undefined && entries.length > 0 && (
        <>
          {month >= 0 && (
            <p class="small">
              {amount(first.openingBalanceMinor, currency)} before,{' '}
              {amount(first.closingBalanceMinor, currency)} after. Months are those of UTC.
            </p>
          )}
          <Table
            rows={entries}
            keyOf={(entry) => `${entry.cause} ${entry.bookedAt}`}
            columns={[
              { title: 'When', cell: (entry) => <When at={entry.bookedAt} /> },
              {
                title: 'What',
                kind: 'name',
                cell: (entry) => (
                  <div class="as-written">
                    {entryText(entry.kind)}
                    {(entry.offerId !== null || entry.title !== null) && (
                      <>
                        : <OfferName id={entry.offerId} title={entry.title} />
                      </>
                    )}
                    {entry.card !== null && (
                      <span class="muted small">
                        <br />
                        {entry.card.netMinor.startsWith('-') ? 'back to the card' : 'by card'}{' '}
                        {amount(entry.card.netMinor.replace('-', ''), currency)}
                        {entry.card.vatMinor !== '0' &&
                          ` and ${amount(entry.card.vatMinor.replace('-', ''), currency)} VAT`}
                      </span>
                    )}
                  </div>
                ),
              },
              {
                title: 'Amount',
                numeric: true,
                cell: (entry) => `${signOf(entry.amountMinor)}${amount(entry.amountMinor, currency)}`,
              },
              { title: 'Balance', numeric: true, cell: (entry) => amount(entry.balanceMinor, currency) },
            ]}
          />
        </>
      )}
      <LoadMore of={statement} />
    </section>
  );
}

/** A link for those who may open the offer. Several offers that were paid in one go have a title only. */
function OfferName({ id, title }: { readonly id: number | null; readonly title: string | null }) {
  const { at, may } = usePortal();
  const name = <bdi>{title ?? `offer ${id}`}</bdi>;
  return id !== null && may('view-offers') ? <a href={at(`offers/${id}`)}>{name}</a> : name;
}
