/** Who an organisation is, as far as it has said so: for its page, and for the decision whether it is approved. */
import type { OneOrganisation } from '@offer-ads/contracts/admin/gateway-api';
import type { AdminOffersReply } from '@offer-ads/contracts/admin/offers-api';
import { useRead } from '../session.ts';

const notGiven = <span class="muted">not given</span>;

/** Rows of a list of facts. */
export function Identity({ organisation }: { readonly organisation: OneOrganisation }) {
  const { id, billingDetails } = organisation;
  const offers = useRead<AdminOffersReply>(`/offers/offers?organisationId=${id}&limit=100`);
  const hosts = [...new Set(offers.data?.offers.map(({ url }) => URL.parse(url)?.host ?? url))];
  return (
    <>
      <dt>Registered name</dt>
      <dd class="as-written">{organisation.name}</dd>
      <dt>Trades as</dt>
      <dd class="as-written">{organisation.tradingName}</dd>
      <dt>Country, currency</dt>
      <dd>
        {organisation.country}, {organisation.currency}
      </dd>
      <dt>Contact: first admin</dt>
      <dd>{organisation.adminEmail ?? '–'}</dd>
      <dt>Address</dt>
      <dd>
        {billingDetails.address.length === 0
          ? notGiven
          : billingDetails.address.map((text, index) => <div key={index}>{text}</div>)}
      </dd>
      <dt>VAT number</dt>
      <dd>{billingDetails.vatNumber ?? notGiven}</dd>
      <dt>Web site: its offers lead to</dt>
      {/* Not links, so that staff do not open an advertiser's page by mistake. */}
      <dd class="hash">
        {offers.isPending
          ? 'Loading …'
          : offers.isError
            ? 'not known: the service offers does not answer'
            : hosts.length === 0
              ? notGiven
              : hosts.join(', ')}
      </dd>
    </>
  );
}
