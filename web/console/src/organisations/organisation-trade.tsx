/** Parts of an organisation's page with data of billing and offers: balances and offers in both modes. */
import type { BalanceStanding } from '@offer-ads/contracts/admin/billing-api';
import type { OrganisationDetails } from '@offer-ads/contracts/admin/gateway-api';
import type { AdminOffersReply } from '@offer-ads/contracts/admin/offers-api';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { useState } from 'preact/hooks';
import { Money } from '../money.tsx';
import { OffersTable } from '../offers/offers-table.tsx';
import { useRead } from '../session.ts';
import { Part } from './organisation-parts.tsx';

export function OrganisationBalances({ organisation }: { readonly organisation: OrganisationDetails }) {
  return (
    <section class="card" aria-label="Balances">
      <h2>Balances</h2>
      <dl class="facts">
        <Balance organisation={organisation} mode="TEST" />
        <Balance organisation={organisation} mode="LIVE" />
      </dl>
    </section>
  );
}

type BalanceProps = { readonly organisation: OrganisationDetails; readonly mode: Mode };

function Balance({ organisation: { id, currency }, mode }: BalanceProps) {
  const query = new URLSearchParams({ organisationId: String(id), mode, currency });
  const balance = useRead<BalanceStanding>(`/billing/balances?${query.toString()}`);
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
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const query = new URLSearchParams({ organisationId: String(id), mode, limit: '10' });
  const cursor = cursors.at(-1);
  if (cursor !== undefined) query.set('cursor', cursor);
  const offers = useRead<AdminOffersReply>(`/offers/offers?${query.toString()}`);
  const next = offers.data?.nextCursor ?? null;
  return (
    <>
      <Part
        title={`Offers in ${mode} mode`}
        query={offers}
        empty={offers.data?.offers.length === 0 ? 'No offers in this mode' : null}
      >
        {(data) => <OffersTable offers={data.offers} />}
      </Part>
      <div class="row">
        <button
          type="button"
          class="quiet"
          onClick={() => {
            setCursors([]);
            setMode(mode === 'LIVE' ? 'TEST' : 'LIVE');
          }}
        >
          Show {mode === 'LIVE' ? 'TEST' : 'LIVE'} offers
        </button>
        {cursors.length > 0 && (
          <button type="button" class="quiet" onClick={() => setCursors(cursors.slice(0, -1))}>
            Newer ones
          </button>
        )}
        {next !== null && (
          <button type="button" class="quiet" onClick={() => setCursors([...cursors, next])}>
            Older ones
          </button>
        )}
      </div>
    </>
  );
}
