/** The home page: an overview and the next steps. */

import type { ComponentChildren } from 'preact';
import { Failed, Loaded, Loading, type Query } from '../../../../ui/states.tsx';
import { useAmounts } from '../../amounts.ts';
import { PortalPage } from '../../portal-page.tsx';
import { usePortal } from '../../session.ts';
import { CallTable } from '../calls/call-list.tsx';
import { listKeys } from '../keys/listed-keys.ts';
import { type HomeData, useHome } from './home-data.ts';
import { NextSteps } from './next-steps.tsx';
import { countStates, stepsOf } from './steps.ts';

export function Home() {
  const { session, mode, may } = usePortal();
  const data = useHome();
  const { organisation, balance, keys, people, offers } = data;
  const steps = stepsOf({
    mode,
    may,
    termsAccepted: organisation.data?.termsAccepted,
    balanceMinor: balance.data && BigInt(balance.data.balanceMinor),
    keysInForce: keys.data && listKeys(keys.data.keys, { mode, text: '', withPast: false }).inForce,
    offers: offers.data?.data.length,
    people: people.data?.people.length,
  });
  // Show all steps at once: a list that grows would move while it is read.
  const waits = [organisation, balance, keys, people, offers].some(({ isLoading }) => isLoading);
  return (
    <PortalPage title={session.organisation.tradingName} lead={`Overview of ${mode.toUpperCase()} mode.`}>
      {organisation.isError && <Failed error={organisation.error} retry={organisation.refetch} />}
      {waits ? <Loading what="what to do next" lines={5} /> : <NextSteps steps={steps} />}
      <div class="cards">
        {may('billing') && <Balance of={data} />}
        {may('offers') && <Offers of={data} />}
        {may('keys') && <Keys of={data} />}
      </div>
      {may('calls') && <LastCalls of={data} />}
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

function Offers({ of: { offers } }: { readonly of: HomeData }) {
  const states = countStates(offers.data?.data ?? []);
  const more = offers.data?.pagination.has_more === true;
  return (
    <Card title="Offers" page="offers" link="All offers" query={offers}>
      {states.length === 0 ? (
        <p class="muted">None yet.</p>
      ) : (
        <dl class="facts">
          {states.map(({ state, count }) => (
            <div key={state} class="count">
              <dt>{state}</dt>
              <dd>{count}</dd>
            </div>
          ))}
        </dl>
      )}
      {more && <p class="muted small">Only the newest 100 are counted.</p>}
    </Card>
  );
}

function Keys({ of: { keys } }: { readonly of: HomeData }) {
  const { mode } = usePortal();
  const { inForce } = listKeys(keys.data?.keys ?? [], { mode, text: '', withPast: false });
  return (
    <Card title="API keys" page="keys" link="Manage API keys" query={keys}>
      <p class="large">
        {inForce} <span class="muted small">in force</span>
      </p>
    </Card>
  );
}

function LastCalls({ of: { calls } }: { readonly of: HomeData }) {
  const { at } = usePortal();
  return (
    <section class="card" aria-labelledby="last-calls">
      <div class="row spread">
        <h2 id="last-calls">Last calls</h2>
        <a href={at('calls')}>The whole call log</a>
      </div>
      <Loaded query={calls} what="calls">
        {({ calls: newest }) =>
          newest.length === 0 ? (
            <p class="muted">No program has called the API yet.</p>
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
