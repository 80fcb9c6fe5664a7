/** The pages of who is signed in. Each section's script comes when it is first looked at. */
import { lazy, Route, Router } from 'preact-iso';
import { NotFound } from './pages/not-found.tsx';

const Home = lazy(async () => (await import('./pages/home/home.tsx')).Home);
const Offers = lazy(async () => (await import('./pages/offers/offers.tsx')).Offers);
const NewOffer = lazy(async () => (await import('./pages/offers/new-offer.tsx')).NewOffer);
const Offer = lazy(async () => (await import('./pages/offers/offer.tsx')).Offer);
const Money = lazy(async () => (await import('./pages/money/money.tsx')).Money);
const Keys = lazy(async () => (await import('./pages/keys/keys.tsx')).Keys);
const Calls = lazy(async () => (await import('./pages/calls/calls.tsx')).Calls);
const People = lazy(async () => (await import('./pages/people/people.tsx')).People);
const Terms = lazy(async () => (await import('./pages/terms/terms.tsx')).Terms);
const Settings = lazy(async () => (await import('./pages/settings/settings.tsx')).Settings);

export function Pages() {
  return (
    <Router>
      <Route path="/portal/:mode" component={Home} />
      <Route path="/portal/:mode/offers" component={Offers} />
      <Route path="/portal/:mode/offers/new" component={NewOffer} />
      <Route path="/portal/:mode/offers/:id" component={Offer} />
      <Route path="/portal/:mode/money" component={Money} />
      <Route path="/portal/:mode/keys" component={Keys} />
      <Route path="/portal/:mode/calls" component={Calls} />
      <Route path="/portal/:mode/people" component={People} />
      <Route path="/portal/:mode/terms" component={Terms} />
      <Route path="/portal/:mode/settings" component={Settings} />
      <Route default component={NotFound} />
    </Router>
  );
}
