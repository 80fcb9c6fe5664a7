/** Parts of an organisation's page with data of billing and offers: balances and offers in both modes. */
import type { BalanceStanding } from '@offer-ads/contracts/admin/billing-api';
import type { OrganisationDetails } from '@offer-ads/contracts/admin/gateway-api';
import type { AdminOffersReply } from '@offer-ads/contracts/admin/offers-api';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { useState } from 'preact/hooks';
import { queryOf } from '../../../ui/query-of.ts';
import { LoadMore } from '../../../ui/states.tsx';
import { Money } from '../money.tsx';
import { OffersTable } from '../offers/offers-table.tsx';
import { usePages, useRead } from '../session.ts';
import { Part } from './organisation-parts.tsx';

export function OrganisationBalances({ organisation }: { readonly organisation: OrganisationDetails }) {
  return (
    <section class="card" aria-label="Balances">
      <div class="row spread">
        <h2>Balances</h2>
        <a href={`/organisations/${organisation.id}/money`}>Statement, invoices, revenue</a>
      </div>
      <dl class="facts">
        <Balance organisation={organisation} mode="TEST" />
        <Balance organisation={organisation} mode="LIVE" />
      </dl>
    </section>
  );
}

export function useBalance(id: number, mode: Mode, currency: string) {
  return useRead<BalanceStanding>(`/billing/balances${queryOf({ organisationId: `${id}`, mode, currency })}`);
}

type BalanceProps = { readonly organisation: OrganisationDetails; readonly mode: Mode };

function Balance({ organisation: { id, currency }, mode }: BalanceProps) {
  const balance = useBalance(id, mode, currency);
  return (
    <>
      <dt>{mode}</dt>
      <dd>
        {balance.isPending && '…'}
        {balance.isError && balance.error.message}
        {balance.data !== undefined && <Money minor={balance.data.balanceMinor} currency={currency} />}
      </dd>
    </>
  );
}

export function OrganisationOffers({ id }: { readonly id: number }) {
  const [mode, setMode] = useState<Mode>('LIVE');
  const query = new URLSearchParams({ organisationId: String(id), mode, limit: '10' });
  const pages = usePages<AdminOffersReply>(`/offers/offers?${query.toString()}`);
  const other = mode === 'LIVE' ? 'TEST' : 'LIVE';
  return (
    <>
      <Part
        title={`Offers in ${mode} mode`}
        query={pages}
        empty={pages.data?.pages[0]?.offers.length === 0 ? 'No offers in this mode' : null}
      >
        {(data) => <OffersTable offers={data.pages.flatMap(({ offers }) => offers)} />}
      </Part>
      <div class="row">
        <button type="button" class="quiet" onClick={() => setMode(other)}>
          Show {other} offers
        </button>
        <LoadMore of={pages} />
      </div>
    </>
  );
}
