import type { AdminOffer } from '@offer-ads/contracts/admin/offers-api';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';

/** `foreign`: the offers belong to several organisations. */
export function OffersTable({
  offers,
  foreign = false,
}: {
  readonly offers: readonly AdminOffer[];
  readonly foreign?: boolean;
}) {
  return (
    <Table
      rows={offers}
      keyOf={(offer) => offer.id}
      columns={[
        {
          title: 'Offer',
          kind: 'name',
          cell: (offer) => (
            <a href={`/offers/${offer.id}`}>
              {offer.id} {offer.title}
            </a>
          ),
        },
        foreign && {
          title: 'Organisation',
          cell: (offer) => (
            <>
              <a href={`/organisations/${offer.organisationId}`}>{offer.organisationId}</a>, {offer.mode}
            </>
          ),
        },
        { title: 'Status', cell: (offer) => <OfferStanding {...offer} /> },
        { title: 'Starts', cell: (offer) => <When at={offer.startAt} /> },
        { title: 'Ends', cell: (offer) => <When at={offer.expiryAt} /> },
      ]}
    />
  );
}

export function OfferStanding({ status, enabled }: Pick<AdminOffer, 'status' | 'enabled'>) {
  return (
    <>
      <span class={`badge ${status === 'Active' ? 'good' : 'muted'}`}>{status}</span>{' '}
      {!enabled && <span class="badge problem">disabled</span>}
    </>
  );
}
