/** The home page: the next steps, results, balance, keys and the last calls. */
import './home.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Failed, Loaded, Loading, type Query } from '../../../../ui/states.tsx';
import { momentText } from '../../../../ui/time-text.ts';
import { useAmounts } from '../../amounts/amounts.ts';
import { PortalPage } from '../../portal-page.tsx';
import { usePortal } from '../../session.ts';
import { CallTable } from '../calls/call-list.tsx';
import { listKeys } from '../keys/listed-keys.ts';
import { type HomeData, type Period, useHome } from './home-data.ts';
import { NextSteps } from './next-steps.tsx';
import { OffersNow } from './offers-now.tsx';
import { hasResults, Results } from './results.tsx';
import { stepsOf } from './steps.ts';

export function Home() {
  const { at, session, mode, may } = usePortal();
  const [period, setPeriod] = useState<Period>('7');
  const data = useHome(period);
  const { organisation, balance, keys, people, results, calls } = data;
  const hasOffers = results.data !== undefined && results.data.offers.total === 'some';
  const { inForce } = listKeys(keys.data?.keys ?? [], { mode, text: '', withPast: false });
  const hasCalls = calls.data !== undefined && calls.data.calls.length > 0;
  const steps = stepsOf({
    mode,
    may,
    termsAccepted: organisation.data?.termsAccepted,
    termsDue: organisation.data?.termsDueAt ? momentText(organisation.data.termsDueAt) : null,
    balanceMinor: balance.data && BigInt(balance.data.balanceMinor),
    keysInForce: keys.data && inForce,
    hasOffers: results.data && hasOffers,
    people: people.data?.people.length,
  });
  // Show all at once: what grows would move the rest while it is read.
  const waits = [organisation, balance, keys, people, results].some(({ isLoading }) => isLoading);
  return (
    <PortalPage
      title={session.organisation.tradingName}
      actions={
        may('offers') && (
          <a class="button" href={at('offers/new')}>
            New offer
          </a>
        )
      }
    >
      {organisation.isError && <Failed error={organisation.error} retry={organisation.refetch} />}
      {waits ? (
        <Loading what="the overview" lines={12} />
      ) : (
        <>
          {!hasOffers && <NextSteps steps={steps} />}
          {may('view-offers') && hasOffers && <OffersNow of={data} />}
          {may('view-offers') && (results.data === undefined || hasResults(results.data)) && (
            <Results of={results} period={period} show={setPeriod} />
          )}
          {hasOffers && <NextSteps steps={steps.filter(({ isOptional }) => !isOptional)} />}
          <div class="two">
            {may('billing') && <Balance of={data} />}
            {may('keys') && inForce > 0 && <Keys inForce={inForce} of={data} />}
          </div>
          {may('calls') && (inForce > 0 || hasCalls) && <LastCalls of={data} />}
        </>
      )}
    </PortalPage>
  );
}

function Balance({ of: { balance } }: { readonly of: HomeData }) {
  const amount = useAmounts();
  return (
    <Card title="Balance" page="money" link="Balance, statement, invoices" query={balance}>
      {balance.data && <p class="large">{amount(balance.data.balanceMinor)}</p>}
    </Card>
  );
}

function Keys({ inForce, of: { keys } }: { readonly inForce: number; readonly of: HomeData }) {
  return (
    <Card title="API keys" page="keys" link="Manage API keys" query={keys}>
      <p class="large">
        {inForce} <span class="muted small">active</span>
      </p>
    </Card>
  );
}

function LastCalls({ of: { calls } }: { readonly of: HomeData }) {
  const { at, mode } = usePortal();
  return (
    <section class="card" aria-labelledby="last-calls">
      <div class="row spread">
        <h2 id="last-calls">Last {mode.toUpperCase()} calls</h2>
        <a href={at('calls')}>The whole call log</a>
      </div>
      <Loaded query={calls} what="calls">
        {({ calls: newest }) =>
          newest.length === 0 ? (
            <p class="muted">No program has called the API with a {mode.toUpperCase()} key yet.</p>
          ) : (
            <CallTable calls={newest} />
          )
        }
      </Loaded>
    </section>
  );
}

type CardProps = {
  readonly title: string;
  readonly page: string;
  readonly link: string;
  readonly query: Query<unknown>;
  readonly children: ComponentChildren;
};

function Card({ title, page, link, query, children }: CardProps) {
  const { at } = usePortal();
  const id = `home-${page}`;
  return (
    <section class="card home-card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Loaded query={query} what={title.toLowerCase()} lines={2}>
        {() => <div>{children}</div>}
      </Loaded>
      <p>
        <a href={at(page)}>{link}</a>
      </p>
    </section>
  );
}
