/** The organisation's offers in this mode, with their figures. */
import '../offers.css';
import './list.css';
import { EXAMINED_OFFERS } from '@offer-ads/contracts/values/offers-list';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useOutcome } from '../../../../../ui/outcome.tsx';
import { Empty, Loaded, LoadMore } from '../../../../../ui/states.tsx';
import { momentText } from '../../../../../ui/time-text.ts';
import { useFigures } from '../../../amounts/amounts.ts';
import { useAttempt } from '../../../attempts/use-attempt.ts';
import { Download } from '../../../download.tsx';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { useOffers } from '../offers-data.ts';
import { quoted } from '../quoted.ts';
import { BulkBar } from './bulk-bar.tsx';
import { FilterBar } from './filter-bar.tsx';
import { exportQuery, type Filters, filterAddress, isFiltered, readFilters } from './filters.ts';
import { OffersTable } from './offers-table.tsx';
import { chosenOf } from './selection.ts';
import { TestClock } from './test-clock.tsx';

const none: ReadonlySet<number> = new Set();

export function Offers() {
  const { at, mode, may } = usePortal();
  const { countText } = useFigures();
  const { query, route } = useLocation();
  const filters = readFilters(query);
  const offers = useOffers(filters);
  const { outcome, report } = useOutcome();
  const [chosenIds, choose] = useState(none);
  const { lost } = useAttempt('offer');
  const pages = offers.data?.pages ?? [];
  const listed = pages.flatMap(({ data }) => data);
  const chosen = chosenOf(listed, chosenIds);
  /** There is nothing to search, and one button for the first. */
  const isNew =
    offers.isSuccess &&
    listed.length === 0 &&
    !offers.hasNextPage &&
    !isFiltered(filters) &&
    filters.sort !== 'ending_soon';
  const show = (next: Filters) => {
    choose(none);
    route(at('offers') + filterAddress(next), true);
  };

  return (
    <PortalPage
      title="Offers"
      lead="The offers of your organisation, with their views, clicks and spend."
      actions={
        <>
          {may('offers') && !isNew && (
            <a class="button" href={at('offers/new')}>
              New offer
            </a>
          )}
          {may('offers') && (
            <a class="button quiet" href={at('offers/import') + filterAddress(filters)}>
              Import offers (CSV)
            </a>
          )}
          {listed.length > 0 && (
            <Download path={`/${mode}/offers.csv${exportQuery(filters)}`} name="offers">
              Download CSV
            </Download>
          )}
        </>
      }
    >
      {outcome}
      {lost !== null && (
        <p class="notice warning">
          <span>
            You sent the offer {quoted(lost.what)} on {momentText(lost.sentAt)}, but no answer came.{' '}
            <a href={at('offers/new')}>Find out whether it was created</a>
          </span>
        </p>
      )}
      {!isNew && mode === 'test' && may('offers') && <TestClock />}
      {!isNew && <FilterBar filters={filters} show={show} />}
      <p class="hidden" role="status">
        {offers.isSuccess &&
          `${listed.length} ${listed.length === 1 ? 'offer' : 'offers'} listed${offers.hasNextPage ? '; there are more' : ''}`}
      </p>
      {pages[0]?.only_newest === true && (
        <p class="notice">
          There are more than {countText(EXAMINED_OFFERS)} offers, so only the newest{' '}
          {countText(EXAMINED_OFFERS)} are in this order. Choose a time of creation to see older ones.
        </p>
      )}
      {chosen.length > 0 && <BulkBar chosen={chosen} clear={() => choose(none)} report={report} />}
      <Loaded query={offers} what="offers" lines={9}>
        {() => listed.length === 0 && <NoOffers filters={filters} show={show} isMore={offers.hasNextPage} />}
      </Loaded>
      {listed.length > 0 && (
        <OffersTable
          offers={listed}
          isWaiting={offers.isPlaceholderData}
          choice={{ chosen: chosenIds, choose }}
          isMore={offers.hasNextPage}
          report={report}
        />
      )}
      <LoadMore of={offers} />
      {listed.length > 0 && (
        <p class="muted small">
          Views, clicks and spend are those of the whole life of an offer. Spend is what was paid less what
          was credited, without VAT.
        </p>
      )}
    </PortalPage>
  );
}

type NoOffersProps = {
  readonly filters: Filters;
  readonly show: (filters: Filters) => void;
  /** Older offers were not searched yet. */
  readonly isMore: boolean;
};

function NoOffers({ filters, show, isMore }: NoOffersProps) {
  const { mode, at, may } = usePortal();
  const { countText } = useFigures();
  if (isMore)
    return (
      <Empty title={`None of the newest ${countText(EXAMINED_OFFERS)} offers matches`}>
        <p class="muted">Load more to search older ones.</p>
      </Empty>
    );
  if (isFiltered(filters))
    return (
      <Empty title={filters.status === 'deleted' ? 'No deleted offers' : 'No matching offers'}>
        <button type="button" class="link" onClick={() => show(readFilters({}))}>
          Show all offers
        </button>
      </Empty>
    );
  if (filters.sort === 'ending_soon') return <Empty title="No offer is still to end" />;
  const title = `There is no ${mode.toUpperCase()} offer yet`;
  if (!may('offers')) return <Empty title={title} />;
  return (
    <Empty title={title}>
      <p class="muted">
        {mode === 'test'
          ? 'You can try everything here with play money, test cards and simulated views.'
          : 'Members see the offers that you create here.'}
      </p>
      <a class="button" href={at('offers/new')}>
        Create the first one
      </a>
    </Empty>
  );
}
