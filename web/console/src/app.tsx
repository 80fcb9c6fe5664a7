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

const Health = lazy(async () => (await import('./pages/health.tsx')).Health);
const Organisations = lazy(async () => (await import('./pages/organisations.tsx')).Organisations);
const Organisation = lazy(async () => (await import('./pages/organisation.tsx')).Organisation);
const OrganisationMoney = lazy(
  async () => (await import('./pages/organisation-money.tsx')).OrganisationMoney,
);
const Offer = lazy(async () => (await import('./pages/offer.tsx')).Offer);
const Offers = lazy(async () => (await import('./pages/offers.tsx')).Offers);
const Reviews = lazy(async () => (await import('./pages/reviews.tsx')).Reviews);
const Terms = lazy(async () => (await import('./pages/terms.tsx')).Terms);
const Catalogue = lazy(async () => (await import('./pages/catalogue.tsx')).CataloguePage);
const Pictures = lazy(async () => (await import('./pages/pictures.tsx')).Pictures);
const Rulings = lazy(async () => (await import('./pages/rulings.tsx')).Rulings);
const Picture = lazy(async () => (await import('./pages/picture.tsx')).Picture);
const Parked = lazy(async () => (await import('./pages/parked.tsx')).Parked);
const Rates = lazy(async () => (await import('./pages/rates.tsx')).Rates);
const Placements = lazy(async () => (await import('./pages/placements.tsx')).Placements);
const PlacementCalls = lazy(async () => (await import('./pages/placement-calls.tsx')).PlacementCalls);
const Audit = lazy(async () => (await import('./pages/audit.tsx')).Audit);
const Cards = lazy(async () => (await import('./pages/cards.tsx')).Cards);

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
  if (session.isPending || session.isError)
    return (
      <Alone home="/" site="Staff console">
        {session.isPending ? (
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
          <Route path="/" component={Health} />
          <Route path="/organisations" component={Organisations} />
          <Route path="/organisations/:id" component={Organisation} />
          <Route path="/organisations/:id/money" component={OrganisationMoney} />
          <Route path="/offers" component={Offers} />
          <Route path="/offers/:id" component={Offer} />
          <Route path="/reviews" component={Reviews} />
          <Route path="/pictures" component={Pictures} />
          <Route path="/pictures/decisions" component={Rulings} />
          <Route path="/pictures/:name" component={Picture} />
          <Route path="/placements" component={Placements} />
          <Route path="/placements/calls" component={PlacementCalls} />
          <Route path="/terms" component={Terms} />
          <Route path="/catalogue" component={Catalogue} />
          <Route path="/parked" component={Parked} />
          <Route path="/rates" component={Rates} />
          <Route path="/cards" component={Cards} />
          <Route path="/audit" component={Audit} />
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
