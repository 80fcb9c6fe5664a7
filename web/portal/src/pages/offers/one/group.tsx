/** Offers that were ordered together, one for each place: their totals, what can be done with all, and each of them. */
import '../offers.css';
import '../list/list.css';
import type { PortalGroup } from '@offer-ads/contracts/portal/offers-api';
import { costPer } from '@offer-ads/contracts/values/cost-per';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Refused } from '../../../../../ui/calls/call.ts';
import { Failed, Loading } from '../../../../../ui/states.tsx';
import { useAmounts, useFigures } from '../../../amounts/amounts.ts';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { placesText } from '../groups.ts';
import { GroupActions } from '../list/group-actions.tsx';
import { OffersTable } from '../list/offers-table.tsx';
import { Said, type SaidOfOffers } from '../list/said.tsx';
import { usePayText } from '../new/purchase.tsx';
import { useGroup } from '../offers-data.ts';
import { PaymentLink } from '../payment-link.tsx';

/** Often while a payment is expected. */
const everyMs = (group: PortalGroup | undefined) =>
  group === undefined || group.totals.offers === 0 ? false : group.payment_url === null ? 30_000 : 3_000;

export function Group() {
  const { at } = usePortal();
  const { id = '' } = useRoute().params;
  const group = useGroup(id, everyMs);
  if (group.isSuccess) return <Known group={group.data} />;
  if (group.error instanceof Refused && group.error.refusal.status === 404)
    return (
      <PortalPage title="There are no such offers">
        <p>
          They may be of the other mode. <a href={at('offers')}>All offers</a>
        </p>
      </PortalPage>
    );
  return (
    <PortalPage title="Offers">
      {group.isError ? (
        <Failed error={group.error} retry={group.refetch} />
      ) : (
        <Loading what="the offers" lines={9} />
      )}
    </PortalPage>
  );
}

function Known({ group }: { readonly group: PortalGroup }) {
  const { at, may } = usePortal();
  const amount = useAmounts();
  const { countText, percentText } = useFigures();
  const pay = usePayText();
  const [said, say] = useState<SaidOfOffers | null>(null);
  const { totals, offers, payment_url: url } = group;
  const perClick = costPer(BigInt(totals.spend_minor), totals.clicks);
  return (
    <PortalPage
      title={group.title}
      lead={
        <>
          <a href={at('offers')}>All offers</a> /{' '}
          {offers.every(({ title }) => title === group.title)
            ? placesText(offers.length)
            : `${offers.length} offers that were ordered together`}
        </>
      }
      actions={<GroupActions groupId={group.group_id} offers={offers} done={say} />}
    >
      <Said said={said} />
      {url !== null && (
        <section class="card pay-now" aria-label="Payment">
          <p>They start once they are paid, all together.</p>
          {may('offers') && <PaymentLink url={url} label={pay(BigInt(group.cost_minor), 'E')} />}
        </section>
      )}
      <dl class="card totals">
        {(
          [
            ['Running now', `${totals.live} of ${totals.offers}`],
            [
              'Members matched',
              countText(offers.reduce((sum, { matching_users: members }) => sum + members, 0)),
            ],
            ['Views', countText(totals.views)],
            ['Clicks', countText(totals.clicks)],
            ['Click rate', percentText(totals)],
            ['Cost per click', perClick === null ? '–' : amount(perClick, group.currency)],
            ['Spend', amount(totals.spend_minor, group.currency)],
          ] as const
        ).map(([title, text]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd class="figure">{text}</dd>
          </div>
        ))}
      </dl>
      <OffersTable offers={offers} isWaiting={false} isOfGroup done={say} />
    </PortalPage>
  );
}
