import type { AdminOffer } from '@offer-ads/contracts/admin/offers-api';
import { When } from '../../ui/when.tsx';

/** `foreign`: the offers belong to several organisations. */
export function OffersTable({
  offers,
  foreign = false,
}: {
  readonly offers: readonly AdminOffer[];
  readonly foreign?: boolean;
}) {
  return (
    <table class="cells">
      <thead>
        <tr>
          <th scope="col">Offer</th>
          {foreign && <th scope="col">Organisation</th>}
          <th scope="col">Status</th>
          <th scope="col">Starts</th>
          <th scope="col">Ends</th>
        </tr>
      </thead>
      <tbody>
        {offers.map((offer) => (
          <tr key={offer.id}>
            <td data-label="Offer">
              <a href={`/offers/${offer.id}`}>
                {offer.id} {offer.title}
              </a>
            </td>
            {foreign && (
              <td data-label="Organisation">
                <a href={`/organisations/${offer.organisationId}`}>{offer.organisationId}</a>, {offer.mode}
              </td>
            )}
            <td data-label="Status">
              <span>
                <OfferStanding {...offer} />
              </span>
            </td>
            <td data-label="Starts">
              <When at={offer.startAt} />
            </td>
            <td data-label="Ends">
              <When at={offer.expiryAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
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
