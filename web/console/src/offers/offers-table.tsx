import type { AdminOffer } from '@offer-ads/contracts/admin/offers-api';
import { Notice } from '../../../ui/notice.tsx';
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

/** Why a disabled offer is so, and whether its advertiser wants it to be looked at again. */
export function WhyDisabled({ offer }: { readonly offer: AdminOffer }) {
  if (offer.disabledReason === null) return null;
  return (
    <Notice kind="warning">
      <p>
        Disabled since <When at={offer.disabledSince} />: <q class="as-written">{offer.disabledReason}</q>
      </p>
      {offer.reviewWaitingSince !== null && (
        <p>
          Its advertiser waits for a look since <When at={offer.reviewWaitingSince} />
          {offer.contentChangedAt !== null && (
            <>
              ; last edited <When at={offer.contentChangedAt} />
            </>
          )}
          .
        </p>
      )}
    </Notice>
  );
}
