/** The organisation's offers in this mode, newest first. */
import '../offers.css';
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Notice } from '../../../../../ui/notice.tsx';
import { Outcome } from '../../../../../ui/outcome.tsx';
import { Empty, Loaded, LoadMore } from '../../../../../ui/states.tsx';
import { momentText } from '../../../../../ui/time-text.ts';
import { When } from '../../../../../ui/when.tsx';
import { useAmounts } from '../../../amounts.ts';
import { useAttempt } from '../../../attempts/use-attempt.ts';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { type Done, OfferActions } from '../offer-actions.tsx';
import { useOffers } from '../offers-data.ts';
import { PlaceText } from '../place-text.tsx';
import { quoted } from '../quoted.ts';
import { StateBadges } from '../state-badges.tsx';
import { type Filters, filterAddress, readFilters, statusFilters } from './filters.ts';
import { TestClock } from './test-clock.tsx';

export function Offers() {
  const { at, mode } = usePortal();
  const { query, route } = useLocation();
  const filters = readFilters(query);
  const offers = useOffers(filters);
  const [done, setDone] = useState<Done | null>(null);
  const { lost } = useAttempt('offer');
  const listed = offers.data?.pages.flatMap(({ data }) => data) ?? [];
  const show = (next: Filters) => route(at('offers') + filterAddress(next), true);

  return (
    <PortalPage
      title="Offers"
      lead="The offers of your organisation, newest first."
      actions={
        <a class="button" href={at('offers/new')}>
          New offer
        </a>
      }
    >
      {done !== null &&
        (done.good ? (
          <Outcome key={done.id}>{done.text}</Outcome>
        ) : (
          <Notice kind="problem">{done.text}</Notice>
        ))}
      {lost !== null && (
        <p class="notice warning">
          <span>
            No answer came about the offer {quoted(lost.what)}, sent on {momentText(lost.sentAt)}:{' '}
            <a href={at('offers/new')}>find out what became of it</a>.
          </span>
        </p>
      )}
      {mode === 'test' && <TestClock />}
      <FilterBar filters={filters} show={show} />
      <p class="hidden" role="status">
        {offers.isSuccess &&
          `${listed.length} ${listed.length === 1 ? 'offer' : 'offers'} listed${offers.hasNextPage ? '; there are more' : ''}`}
      </p>
      <Loaded query={offers} what="offers" lines={9}>
        {() =>
          listed.length === 0 && <NoOffers filtered={filterAddress(filters) !== ''} all={at('offers')} />
        }
      </Loaded>
      {listed.length > 0 && (
        <ul class="offer-list" data-waiting={offers.isPlaceholderData}>
          {listed.map((offer) => (
            <OfferRow key={offer.offer_id} offer={offer} done={setDone} />
          ))}
        </ul>
      )}
      <LoadMore of={offers} />
    </PortalPage>
  );
}

function NoOffers({ filtered, all }: { readonly filtered: boolean; readonly all: string }) {
  const { mode, at } = usePortal();
  if (filtered)
    return (
      <Empty title="No matching offers">
        <a href={all}>Show all offers</a>
      </Empty>
    );
  return (
    <Empty title={`There is no ${mode.toUpperCase()} offer yet`}>
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

type FilterBarProps = { readonly filters: Filters; readonly show: (filters: Filters) => void };

function FilterBar({ filters, show }: FilterBarProps) {
  return (
    <form class="filters" role="search" aria-label="Offers" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>State</span>
        <select
          value={filters.status}
          onChange={(event) => show({ ...filters, status: event.currentTarget.value })}
        >
          <option value="">All states</option>
          {statusFilters.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Created from</span>
        <input
          type="date"
          value={filters.from}
          onChange={(event) => show({ ...filters, from: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>to</span>
        <input
          type="date"
          value={filters.to}
          onChange={(event) => show({ ...filters, to: event.currentTarget.value })}
        />
      </label>
      <label class="choice">
        <input
          type="checkbox"
          checked={filters.disabled}
          onChange={(event) => show({ ...filters, disabled: event.currentTarget.checked })}
        />
        Only disabled ones
      </label>
    </form>
  );
}

function OfferRow({ offer, done }: { readonly offer: PortalOffer; readonly done: (done: Done) => void }) {
  const { at } = usePortal();
  const amount = useAmounts();
  return (
    <li class="offer-row">
      <img src={offer.image} alt="" width={88} height={88} loading="lazy" />
      <div class="what">
        <h2 class="as-written">
          <a href={at(`offers/${offer.offer_id}`)}>{offer.title}</a>
        </h2>
        <StateBadges offer={offer} />
        <p class="small">
          <PlaceText offer={offer} />
        </p>
        <p class="small muted">
          <When at={offer.start_datetime} /> to <When at={offer.expiry_datetime} /> ·{' '}
          {amount(offer.cost_minor, offer.currency)}
        </p>
      </div>
      <OfferActions offer={offer} done={done} />
    </li>
  );
}
