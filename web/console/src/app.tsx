/** The console's routes, for signed-in staff. */
import { QueryClientProvider } from '@tanstack/preact-query';
import { LocationProvider, lazy, Route, Router } from 'preact-iso';
import { Alone } from '../../ui/alone.tsx';
import { createQueries } from '../../ui/calls/queries.ts';
import { Failed, Loading } from '../../ui/states.tsx';
import { ConsolePage } from './console-page.tsx';
import { ConsoleContext, useConsoleOf, useSession } from './session.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';

/** The script of a page is loaded on its first use. */
const routes = [
  ['/', lazy(async () => (await import('./pages/health.tsx')).Health)],
  ['/organisations', lazy(async () => (await import('./pages/organisations.tsx')).Organisations)],
  ['/organisations/:id', lazy(async () => (await import('./pages/organisation.tsx')).Organisation)],
  [
    '/organisations/:id/money',
    lazy(async () => (await import('./pages/organisation-money.tsx')).OrganisationMoney),
  ],
  ['/offers', lazy(async () => (await import('./pages/offers.tsx')).Offers)],
  ['/offers/:id', lazy(async () => (await import('./pages/offer.tsx')).Offer)],
  ['/reviews', lazy(async () => (await import('./pages/reviews.tsx')).Reviews)],
  ['/pictures', lazy(async () => (await import('./pages/pictures.tsx')).Pictures)],
  ['/pictures/decisions', lazy(async () => (await import('./pages/rulings.tsx')).Rulings)],
  ['/pictures/:name', lazy(async () => (await import('./pages/picture.tsx')).Picture)],
  ['/placements', lazy(async () => (await import('./pages/placements.tsx')).Placements)],
  ['/placements/calls', lazy(async () => (await import('./pages/placement-calls.tsx')).PlacementCalls)],
  ['/terms', lazy(async () => (await import('./pages/terms.tsx')).Terms)],
  ['/catalogue', lazy(async () => (await import('./pages/catalogue.tsx')).CataloguePage)],
  ['/parked', lazy(async () => (await import('./pages/parked.tsx')).Parked)],
  ['/revenue', lazy(async () => (await import('./pages/revenue.tsx')).PlatformRevenue)],
  ['/rates', lazy(async () => (await import('./pages/rates.tsx')).Rates)],
  ['/cards', lazy(async () => (await import('./pages/cards.tsx')).Cards)],
  ['/audit', lazy(async () => (await import('./pages/audit.tsx')).Audit)],
] as const;

// A service that does not answer is not asked again: each request waits for seconds.
const queries = createQueries((status) => status === 0);

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <LocationProvider>
        <SignedIn />
      </LocationProvider>
    </QueryClientProvider>
  );
}

function SignedIn() {
  const session = useSession();
  const signedIn = session.data === 'ended' ? null : (session.data ?? null);
  const staff = useConsoleOf(signedIn);
  // A later failure, such as a lost connection, leaves the page as it is.
  if (session.data === undefined)
    return (
      <Alone home="/" site="Staff console">
        {session.error === null ? (
          <Loading what="the console" />
        ) : (
          <Failed error={session.error} retry={session.refetch} />
        )}
      </Alone>
    );
  if (staff === null) return <SignIn ended={session.data === 'ended'} />;
  return (
    <ConsoleContext.Provider value={staff}>
      <Shell>
        <Router>
          {routes.map(([path, page]) => (
            <Route key={path} path={path} component={page} />
          ))}
          <Route default component={NotFound} />
        </Router>
      </Shell>
    </ConsoleContext.Provider>
  );
}

function NotFound() {
  return (
    <ConsolePage title="There is nothing here">
      <p>
        This page of the console does not exist. <a href="/">Go to the overview</a>
      </p>
    </ConsolePage>
  );
}
