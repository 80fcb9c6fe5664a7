/** Offers with their figures. On a narrow screen each offer is a card. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Report } from '../../../../../ui/outcome.tsx';
import { useAmounts, useFigures } from '../../../amounts/amounts.ts';
import { daysText } from '../../../amounts/figures.ts';
import { usePortal } from '../../../session.ts';
import { useOfferNow } from '../../../test-clock.ts';
import { haveOneTitle, isWhole, pageOf, placesText, runsOf } from '../groups.ts';
import { OfferActions } from '../offer-actions.tsx';
import { PlaceText } from '../place-text.tsx';
import { nameOf } from '../quoted.ts';
import { lostMinor } from '../standing.ts';
import { StateBadges } from '../state-badges.tsx';
import { GroupActions } from './group-actions.tsx';
import { bulkActionsOf } from './selection.ts';

type OffersTableProps = {
  readonly offers: readonly PortalOffer[];
  readonly isWaiting: boolean;
  /** Left out where no offers are chosen for commands. */
  readonly choice?: {
    readonly chosen: ReadonlySet<number>;
    readonly choose: (ids: ReadonlySet<number>) => void;
  };
  /** Whether more can be loaded. Left out where the page shows the totals itself. */
  readonly isMore?: boolean;
  /** All are of one group, which the page names. */
  readonly isOfGroup?: boolean;
  readonly report: Report;
};

const nobody: ReadonlySet<number> = new Set();

export function OffersTable({
  offers,
  isWaiting,
  choice,
  isMore,
  isOfGroup = false,
  report,
}: OffersTableProps) {
  const mayChoose = usePortal().may('offers') && choice !== undefined;
  const { chosen = nobody, choose = () => {} } = choice ?? {};
  const choosable = offers.filter((offer) => bulkActionsOf(offer).length > 0).map(({ offer_id: id }) => id);
  const areAll = choosable.length > 0 && choosable.every((id) => chosen.has(id));
  const toggle = (id: number) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  return (
    <div class="offers-frame">
      <table class="offers-table" data-waiting={isWaiting}>
        <caption class="hidden">Offers with their views, clicks and spend</caption>
        <thead>
          <tr>
            {mayChoose && (
              <th scope="col" class="pick">
                <input
                  type="checkbox"
                  aria-label="Choose all listed offers that can be paused or resumed"
                  checked={areAll}
                  disabled={choosable.length === 0}
                  onChange={() => choose(new Set(areAll ? [] : choosable))}
                />
              </th>
            )}
            <th scope="col">{isOfGroup ? 'Place' : 'Offer'}</th>
            <th scope="col">State</th>
            {['Views', 'Clicks', 'Click rate', 'Spend'].map((title) => (
              <th key={title} scope="col" class="numeric">
                {title}
              </th>
            ))}
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runsOf(offers).map(({ groupId, offers: run }) => (
            <Fragment key={run[0]?.offer_id}>
              {groupId !== null && !isOfGroup && (
                <GroupRow groupId={groupId} offers={run} isChoosable={mayChoose} report={report} />
              )}
              {inOrderOfPlaces(run).map((offer) => (
                <OfferRow
                  key={offer.offer_id}
                  offer={offer}
                  namedBy={groupId === null || !haveOneTitle(run) ? 'title' : 'place'}
                  isOfGroup={groupId !== null}
                  {...(mayChoose && {
                    choice: { isChosen: chosen.has(offer.offer_id), toggle: () => toggle(offer.offer_id) },
                  })}
                  report={report}
                />
              ))}
            </Fragment>
          ))}
          {isMore !== undefined && offers.length > 1 && (
            <TotalsRow offers={offers} isMore={isMore} isChoosable={mayChoose} />
          )}
        </tbody>
      </table>
    </div>
  );
}

/** Their numbers are in the order of the places; the list may have the newest first. */
function inOrderOfPlaces(offers: readonly PortalOffer[]): readonly PortalOffer[] {
  return offers.toSorted((one, other) => one.offer_id - other.offer_id);
}

type GroupRowProps = {
  readonly groupId: number;
  /** Those that are listed here. */
  readonly offers: readonly PortalOffer[];
  readonly isChoosable: boolean;
  readonly report: Report;
};

function GroupRow({ groupId, offers, isChoosable, report }: GroupRowProps) {
  const { at } = usePortal();
  const page = at(pageOf({ groupId, offerId: 0 }));
  const heading = (
    <th colSpan={isChoosable ? 2 : 1} scope="rowgroup">
      <a class="as-written" href={page}>
        {offers[0]?.title}
      </a>{' '}
      <span class="small muted">
        {haveOneTitle(offers) ? placesText(offers.length) : `and others: ${offers.length} offers`}
      </span>
    </th>
  );
  // What is left out here would be in the sums, and in what is done with all.
  if (!isWhole(offers))
    return (
      <tr class="group-row">
        {heading}
        <td class="state small" colSpan={6}>
          Only these are listed here. <a href={page}>All {offers[0]?.group_offers} of the order</a>
        </td>
      </tr>
    );
  return (
    <tr class="group-row">
      {heading}
      <td class="state small">{runningText(offers)}</td>
      <Figures of={totalsOf(offers)} />
      <td class="does">
        <GroupActions groupId={groupId} offers={offers} report={report} />
      </td>
    </tr>
  );
}

/** What all listed offers have brought, as the last row of the table. */
function TotalsRow({ offers, isMore, isChoosable }: TotalsRowProps) {
  return (
    <tr class="total-row">
      <th colSpan={isChoosable ? 2 : 1} scope="row">
        <strong>
          {isMore ? `The ${offers.length} offers listed so far` : `All ${offers.length} offers`}
        </strong>
      </th>
      <td class="state small">{runningText(offers)}</td>
      <Figures of={totalsOf(offers)} />
      <td class="does" />
    </tr>
  );
}

type TotalsRowProps = {
  readonly offers: readonly PortalOffer[];
  readonly isMore: boolean;
  readonly isChoosable: boolean;
};

function runningText(offers: readonly PortalOffer[]): string {
  return `${offers.filter(({ offer_status: status }) => status === 'Active').length} running`;
}

function totalsOf(offers: readonly PortalOffer[]): FiguresProps['of'] {
  const sum = (of: (offer: PortalOffer) => number) => offers.reduce((total, offer) => total + of(offer), 0);
  return {
    views: sum(({ views }) => views),
    clicks: sum(({ clicks }) => clicks),
    spend_minor: String(offers.reduce((total, { spend_minor: minor }) => total + BigInt(minor), 0n)),
    currency: offers[0]?.currency ?? '',
  };
}

type FiguresProps = {
  readonly of: Pick<PortalOffer, 'views' | 'clicks' | 'spend_minor' | 'currency'>;
};

function Figures({ of: figures }: FiguresProps) {
  const amount = useAmounts();
  const { countText, percentText } = useFigures();
  const cells = [
    ['Views', countText(figures.views)],
    ['Clicks', countText(figures.clicks)],
    ['Click rate', percentText(figures)],
    ['Spend', amount(figures.spend_minor, figures.currency)],
  ] as const;
  return (
    <>
      {cells.map(([label, text]) => (
        <td key={label} class="numeric" data-label={label}>
          {text}
        </td>
      ))}
    </>
  );
}

type OfferRowProps = {
  readonly offer: PortalOffer;
  /** Where it is under the name of its group, its place names it. */
  readonly namedBy: 'title' | 'place';
  readonly isOfGroup: boolean;
  readonly choice?: { readonly isChosen: boolean; readonly toggle: () => void };
  readonly report: Report;
};

function OfferRow({ offer, namedBy, isOfGroup, choice, report }: OfferRowProps) {
  const { at } = usePortal();
  const now = useOfferNow();
  const canBeChosen = bulkActionsOf(offer).length > 0;
  return (
    <tr class="offer-row" data-chosen={choice?.isChosen === true} data-member={isOfGroup}>
      {choice !== undefined && (
        <td class="pick">
          {canBeChosen && (
            <input
              type="checkbox"
              aria-label={`Choose ${nameOf(offer)}`}
              checked={choice.isChosen}
              onChange={choice.toggle}
            />
          )}
        </td>
      )}
      <th scope="row">
        <div class="offer-name">
          <Thumbnail src={offer.image} />
          <div>
            <a class="as-written" href={at(`offers/${offer.offer_id}`)}>
              {namedBy === 'place' ? (offer.place_label ?? <PlaceText offer={offer} />) : offer.title}
            </a>
            <p class="small muted">
              {daysText(offer.start_datetime, offer.expiry_datetime)}
              {namedBy === 'title' && (
                <span class="place"> · {offer.place_label ?? <PlaceText offer={offer} />}</span>
              )}
            </p>
          </div>
        </div>
      </th>
      <td class="state">
        <StateBadges offer={offer} />
        {lostMinor(offer, now()) !== null && <p class="small muted">Its time passes</p>}
      </td>
      <Figures of={offer} />
      <td class="does">
        {offer.deleted_datetime === null && <OfferActions offer={offer} report={report} />}
      </td>
    </tr>
  );
}

/** The picture of a deleted offer is removed after a month. */
function Thumbnail({ src }: { readonly src: string }) {
  const [isGone, setGone] = useState(false);
  if (isGone) return <span class="thumbnail" aria-hidden="true" />;
  return (
    <img
      class="thumbnail"
      src={src}
      alt=""
      width={48}
      height={48}
      loading="lazy"
      onError={() => setGone(true)}
    />
  );
}
