/** The fairness report: offers that were shown less than half as often as equal turns would have shown them. */
import type { NeglectedReply } from '@offer-ads/contracts/admin/offers-api';
import { Table } from '../../../ui/table.tsx';
import { Part } from '../organisations/organisation-parts.tsx';
import { useRead } from '../session.ts';

export function Fairness() {
  const report = useRead<NeglectedReply>('/offers/placements/neglected');
  const none = report.data?.offers.length === 0;
  return (
    <Part
      title="Shown too seldom"
      query={report}
      empty={none ? 'Every offer got at least half its fair share in the last 24 hours' : null}
    >
      {({ offers }) => (
        <>
          <p class="small muted">
            Offers that were shown less than half their fair share in the last 24 hours, the worst first. The
            fair share is what an offer would get if all matching offers had equal turns. Showings of a member
            beyond the daily limit of an offer are not part of it.
          </p>
          <Table
            rows={offers}
            keyOf={({ offerId }) => offerId}
            columns={[
              {
                title: 'Offer',
                cell: ({ offerId, title }) => (
                  <a href={`/offers/${offerId}`}>
                    {offerId} {title}
                  </a>
                ),
              },
              {
                title: 'Organisation',
                cell: ({ organisationId, mode }) => (
                  <>
                    <a href={`/organisations/${organisationId}`}>{organisationId}</a>, {mode}
                  </>
                ),
              },
              { title: 'Matched', numeric: true, cell: ({ matched }) => matched.toLocaleString('en-GB') },
              {
                title: 'Fair share',
                numeric: true,
                cell: ({ fairShare }) => Math.round(fairShare).toLocaleString('en-GB'),
              },
              { title: 'Shown', numeric: true, cell: ({ shown }) => shown.toLocaleString('en-GB') },
              {
                title: 'Of its share',
                numeric: true,
                cell: ({ fairShare, shown }) => `${Math.floor((shown / fairShare) * 100)} %`,
              },
            ]}
          />
        </>
      )}
    </Part>
  );
}
