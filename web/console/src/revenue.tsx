/** What offers brought in by day, of all organisations or of one: the sums of a period, bars, and the same figures as a table. */
import type { RevenueReply } from '@offer-ads/contracts/admin/billing-api';
import { amountText } from '@offer-ads/contracts/values/amount-text';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { sum } from '@offer-ads/contracts/values/sum';
import { useState } from 'preact/hooks';
import { Bars } from '../../ui/bars.tsx';
import { latestMonths } from '../../ui/periods.ts';
import { queryOf } from '../../ui/query-of.ts';
import { Table } from '../../ui/table.tsx';
import { Part } from './organisations/organisation-parts.tsx';
import { useRead } from './session.ts';

type RevenueProps = { readonly mode: Mode; readonly organisationId?: number; readonly currency?: string };

export function Revenue({ mode, organisationId, currency = '' }: RevenueProps) {
  const [month, setMonth] = useState('');
  const months = latestMonths(new Date(), 13, new Date(0));
  const query = queryOf({ mode, organisationId: `${organisationId ?? ''}`, currency, month });
  const revenue = useRead<RevenueReply>(`/billing/balances/revenue${query}`);
  return (
    <Part
      title={`Revenue in ${mode} mode`}
      query={revenue}
      empty={revenue.data?.currencies.length === 0 ? 'Nothing was paid or credited' : null}
      action={
        <label class="row">
          <span>Period</span>
          <select value={month} onChange={(event) => setMonth(event.currentTarget.value)}>
            <option value="">Last 30 days</option>
            {months.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
      }
    >
      {({ currencies }) => currencies.map((of) => <InCurrency key={of.currency} {...of} />)}
    </Part>
  );
}

const dayOf = (day: string) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(day));

/** In the order in which they are shown: on a phone the table is cut off on the right. */
const titles = { net: 'Revenue', fromBalance: 'From balances', byCard: 'By card', credited: 'Credited' };

function InCurrency({ currency, days: booked }: RevenueReply['currencies'][number]) {
  const days = booked.map(({ day, fromBalanceMinor, byCardMinor, creditedMinor }) => {
    const [fromBalance, byCard, credited] = [
      BigInt(fromBalanceMinor),
      BigInt(byCardMinor),
      BigInt(creditedMinor),
    ];
    return { day, fromBalance, byCard, credited, net: fromBalance + byCard - credited };
  });
  const figures = Object.entries(titles) as [keyof typeof titles, string][];
  const text = (minor: bigint) => amountText(minor, currency, 'GB');
  const last = days.length - 1;
  const isToday = days[last]?.day === new Date().toISOString().slice(0, 10);
  return (
    <>
      <dl class="totals">
        {figures.map(([figure, title]) => (
          <div key={figure}>
            <dt>{title}</dt>
            <dd>
              <strong>{text(sum(days.map((day) => day[figure])))}</strong>
            </dd>
          </div>
        ))}
      </dl>
      <Bars
        caption={
          <>
            <span>Each day of UTC, without VAT</span>
            {days.some((day) => day.net < 0n) && (
              <span>
                <i class="swatch minus" />
                More credited than paid
              </span>
            )}
            {isToday && (
              <span>
                <i class="swatch part" />
                Not over yet
              </span>
            )}
          </>
        }
        bars={days.map(({ day, net }, index) => ({
          key: day,
          size: Math.abs(Number(net)),
          look: net < 0n ? 'minus' : isToday && index === last ? 'part' : undefined,
          title: `${dayOf(day)}: ${text(net)}`,
          label: isToday && index === last ? 'Today' : index === 0 || index === last ? dayOf(day) : '',
        }))}
        name={`Revenue of each day in ${currency}`}
      >
        <Table
          rows={days.toReversed()}
          keyOf={({ day }) => day}
          narrow
          columns={[
            { title: 'Day', kind: 'name', cell: ({ day }) => dayOf(day) },
            ...figures.map(([figure, title]) => ({
              title,
              numeric: true,
              cell: (day: (typeof days)[number]) => formatMinor(day[figure], currency),
            })),
          ]}
        />
      </Bars>
    </>
  );
}
