/** What runs now, and how the offers did in the last days beside the days before. */
import type { ResultsReply } from '@offer-ads/contracts/portal/offers-api';
import { Loaded, Loading } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { useAmounts, useFigures } from '../../amounts/amounts.ts';
import { clickRate } from '../../amounts/figures.ts';
import { PeriodChoice } from '../../period-choice.tsx';
import { usePortal } from '../../session.ts';
import { StateBadges } from '../offers/state-badges.tsx';
import { DayBars } from './day-bars.tsx';
import type { HomeData, Period } from './home-data.ts';

const periods = [
  ['7', '7 days'],
  ['30', '30 days'],
] as const;

type ResultsProps = {
  readonly of: HomeData['results'];
  readonly period: Period;
  readonly show: (period: Period) => void;
};

/** Whether there is anything to tell of: an organisation without offers may have had some. */
export function hasResults({ offers, current, before }: ResultsReply): boolean {
  return offers.total !== 'none' || current.views > 0 || before.views > 0;
}

export function Results({ of: results, period, show }: ResultsProps) {
  return (
    <section class="stack" aria-labelledby="results">
      <PeriodChoice
        title="Results"
        id="results"
        of={periods}
        period={period}
        show={show}
        since={new Date(results.data?.start_datetime ?? Date.now())}
      />
      {results.isPending ? (
        <div class="card">
          <Loading what="results" lines={8} />
        </div>
      ) : (
        <Loaded query={results} what="results">
          {(data) => (
            <div class="stack" data-waiting={results.isPlaceholderData}>
              <OfPeriod of={data} period={period} />
            </div>
          )}
        </Loaded>
      )}
    </section>
  );
}

function OfPeriod({ of: results, period }: { readonly of: ResultsReply; readonly period: Period }) {
  const { days, current, before, best, currency } = results;
  const when = typeof period === 'string' ? `in the last ${period} days` : 'in these days';
  const amount = useAmounts();
  const { changeText, countText, percentText } = useFigures();
  const { at } = usePortal();
  const spend = (minor: string | null) => (minor === null ? '–' : amount(minor, currency));
  const spent = (minor: string | null) => (minor === null ? null : Number(minor));
  const isFirst = before.views === 0 && before.clicks === 0 && !Number(before.spend_minor);
  const compared = (was: string) => (isFirst || was === '–' ? null : was);
  return (
    <>
      <div class="card">
        <dl class="figures-row" aria-live="polite">
          <Figure
            title="Views"
            value={countText(current.views)}
            change={changeText(current.views, before.views)}
            was={compared(countText(before.views))}
          />
          <Figure
            title="Clicks"
            value={countText(current.clicks)}
            change={changeText(current.clicks, before.clicks)}
            was={compared(countText(before.clicks))}
          />
          <Figure
            title="Click rate"
            value={percentText(current)}
            change={changeText(clickRate(current), clickRate(before))}
            was={compared(percentText(before))}
          />
          <Figure
            title="Spend"
            value={spend(current.spend_minor)}
            change={changeText(spent(current.spend_minor), spent(before.spend_minor))}
            was={compared(spend(before.spend_minor))}
            isNeutral
          />
        </dl>
        {current.views === 0 && current.clicks === 0 ? (
          <p class="muted">No member has seen your offers {when}.</p>
        ) : (
          <DayBars of={results} />
        )}
        <p class="muted small">
          {isFirst ? 'Nothing ran in' : 'Compared with'} the {days === 1 ? 'day' : `${days} days`} before.
          Offers that were deleted since count too, although they are not in the lists. Spend is what was paid
          for offers in this time less what was credited, without VAT.
        </p>
      </div>
      {best.length > 0 && (
        <section class="card" aria-labelledby="best">
          <div class="row spread">
            <h3 id="best">Most views {when}</h3>
            <a href={at('offers?sort=most_views')}>All offers by views</a>
          </div>
          <Table
            rows={best}
            keyOf={(offer) => offer.offer_id}
            columns={[
              {
                title: 'Offer',
                kind: 'name',
                cell: (offer) => (
                  <>
                    <a class="as-written" href={at(`offers/${offer.offer_id}`)}>
                      {offer.title}
                    </a>
                    {offer.place_label !== null && <div class="small muted">{offer.place_label}</div>}
                  </>
                ),
              },
              {
                title: 'State',
                cell: (offer) => <StateBadges offer={{ ...offer, deleted_datetime: null }} />,
              },
              { title: 'Views', numeric: true, cell: (offer) => countText(offer.views) },
              { title: 'Clicks', numeric: true, cell: (offer) => countText(offer.clicks) },
              { title: 'Click rate', numeric: true, cell: percentText },
              {
                title: 'Spend in all',
                numeric: true,
                cell: (offer) => amount(offer.spend_minor, currency),
              },
            ]}
          />
        </section>
      )}
    </>
  );
}

type FigureProps = {
  readonly title: string;
  readonly value: string;
  readonly change: string | null;
  /** Null: there is nothing to compare with. */
  readonly was: string | null;
  /** More of it is neither better nor worse. */
  readonly isNeutral?: boolean;
};

function Figure({ title, value, change, was, isNeutral = false }: FigureProps) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <span class="figure">{value}</span>
        {was !== null && (
          <span class="small muted">
            {change !== null && (
              <span class={change.startsWith('+') && !isNeutral ? 'change up' : 'change'}>{change} </span>
            )}
            from {was}
          </span>
        )}
      </dd>
    </div>
  );
}
