/** What a page shows before it has its offer or the offers of its group: that they are loading, or why they are not there. */
import { Refused } from '../../../../../ui/calls/call.ts';
import { Failed, Loading, type Query } from '../../../../../ui/states.tsx';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';

type OfferNotLoadedProps = {
  readonly title: string;
  readonly what: 'offer' | 'offers';
  readonly query: Pick<Query<unknown>, 'error' | 'refetch'>;
};

export function OfferNotLoaded({ title, what, query: { error, refetch } }: OfferNotLoadedProps) {
  const { at } = usePortal();
  if (error instanceof Refused && error.refusal.status === 404)
    return (
      <PortalPage title={`There ${what === 'offer' ? 'is' : 'are'} no such ${what}`}>
        <p>
          {what === 'offer' ? 'It' : 'They'} may be of the other mode. <a href={at('offers')}>All offers</a>
        </p>
      </PortalPage>
    );
  return (
    <PortalPage title={title}>
      {error === null ? <Loading what={`the ${what}`} lines={9} /> : <Failed error={error} retry={refetch} />}
    </PortalPage>
  );
}
