/** The home page: an overview and the next steps. */

import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { Failed, Loading } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { useAmounts } from '../../amounts.ts';
import { PortalPage } from '../../portal-page.tsx';
import { usePortal } from '../../session.ts';
import { Result } from '../calls/result.tsx';
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
      {calls.isPending && <Loading what="calls" lines={3} />}
      {calls.isError && <Failed error={calls.error} retry={calls.refetch} />}
      {calls.data?.calls.length === 0 && <p class="muted">No program has called the API yet.</p>}
      {calls.data !== undefined && calls.data.calls.length > 0 && (
        <Table
          rows={calls.data.calls}
          keyOf={(_, index) => index}
          columns={[
            { title: 'Time', cell: (call) => <When at={call.at} precision="second" /> },
            { title: 'Route', cell: (call) => <code class="address">{call.route}</code> },
            { title: 'Result', cell: (call) => <Result of={call} /> },
          ]}
        />
      )}
    </section>
  );
}

type CardProps = {
  readonly title: string;
  readonly page: string;
  readonly link: string;
  readonly query: UseQueryResult;
  readonly children: ComponentChildren;
};

function Card({ title, page, link, query, children }: CardProps) {
  const { at } = usePortal();
  const id = `home-${page}`;
  return (
    <section class="card home-card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {query.isPending && <Loading what={title.toLowerCase()} lines={2} />}
      {query.error !== null && <Failed error={query.error} retry={query.refetch} />}
      {query.isSuccess && <div>{children}</div>}
      <p>
        <a href={at(page)}>{link}</a>
      </p>
    </section>
  );
}
