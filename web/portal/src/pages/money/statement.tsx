/** The statement: bookings, newest first, each with the balance after it. */
import type { StatementReply } from '@offer-ads/contracts/internal/billing-api';
import { Wallet } from 'lucide';
import { useLocation } from 'preact-iso';
import { entryText, signOf } from '../../../../ui/entry-text.ts';
import { latestMonths } from '../../../../ui/periods.ts';
import { queryOf } from '../../../../ui/query-of.ts';
import { Empty, Loaded, LoadMore } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { useAmounts, useFigures } from '../../amounts/amounts.ts';
import { Download } from '../../download.tsx';
import { useOrganisation } from '../../organisation.ts';
import { usePortal } from '../../session.ts';
import { useStatement } from './money-data.ts';
import { OfferName } from './offer-name.tsx';
import {
  addressOf,
  choices,
  parametersOf,
  type Show,
  type StatementFilter,
  statementFilterOf,
} from './statement-filter.ts';

export function Statement() {
  const { at, mode } = usePortal();
  const amount = useAmounts();
  const { data: { registeredAt } = {} } = useOrganisation();
  const months = registeredAt === undefined ? [] : latestMonths(new Date(), 13, new Date(registeredAt));
  const { query, route } = useLocation();
  const filter = statementFilterOf(query, months);
  const choose = (change: Partial<StatementFilter>) =>
    route(at('money') + addressOf({ ...filter, ...change }), true);
  const statement = useStatement(filter);
  const [first] = statement.data?.pages ?? [];
  const entries = statement.data?.pages.flatMap((page) => page.entries) ?? [];
  const currency = first?.currency;
  const isFiltered = filter.show !== null || filter.month !== null;
  return (
    <section class="card" aria-labelledby="money-statement">
      <div class="row spread">
        <h2 id="money-statement">Statement</h2>
        <div class="row">
          <label class="row">
            <span>Show</span>
            <select
              value={filter.show ?? ''}
              onChange={({ currentTarget: { value } }) =>
                choose({ show: value === '' ? null : (value as Show) })
              }
            >
              <option value="">Everything</option>
              {Object.entries(choices).map(([show, { title }]) => (
                <option key={show} value={show}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <label class="row">
            <span>Period</span>
            <select
              value={filter.month?.name ?? ''}
              onChange={({ currentTarget: { value } }) =>
                choose({ month: months.find(({ name }) => name === value) ?? null })
              }
            >
              <option value="">All time</option>
              {months.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          {entries.length > 0 && (
            <Download
              path={`/${mode}/billing/statement.csv${queryOf(parametersOf(filter))}`}
              name={['statement', filter.show, filter.month?.name].filter(Boolean).join('-')}
            >
              Download CSV
            </Download>
          )}
        </div>
      </div>
      <Loaded query={statement} what="the statement" lines={6}>
        {() =>
          entries.length === 0 && (
            <Empty title={isFiltered ? 'No such transactions' : 'No transactions yet'} icon={Wallet} />
          )
        }
      </Loaded>
      {first !== undefined && entries.length > 0 && (
        <>
          <Sums of={first} />
          {filter.month !== null && (
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
                        : <OfferName id={entry.offerId} groupId={entry.groupId} title={entry.title} />
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

/** Of all transactions that the filter lets through, also of those on pages that are not loaded. */
function Sums({ of: { sums, currency } }: { readonly of: StatementReply }) {
  const amount = useAmounts();
  const { countText } = useFigures();
  if (sums === null)
    return <p class="small">There are too many transactions to add them up: choose a shorter period.</p>;
  const { entries, addedMinor, deductedMinor, card } = sums;
  const figures = [
    ['Transactions', countText(entries)],
    ['Added', `${signOf(addedMinor)}${amount(addedMinor, currency)}`],
    ['Deducted', amount(deductedMinor, currency)],
    card !== null && ['By card', amount(card.netMinor, currency)],
    card !== null && card.vatMinor !== '0' && ['VAT', amount(card.vatMinor, currency)],
  ] as const;
  return (
    <dl class="totals">
      {figures.map(
        (figure) =>
          figure !== false && (
            <div key={figure[0]}>
              <dt>{figure[0]}</dt>
              <dd>
                <strong>{figure[1]}</strong>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
