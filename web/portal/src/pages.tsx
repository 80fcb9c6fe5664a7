/** The pages for signed-in people. Each section's script is loaded on first use. */
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { Route, Router, useLocation } from 'preact-iso';
import { Broken, pageScript } from './page-script.tsx';
import { NotFound } from './pages/not-found.tsx';
import { PortalPage } from './portal-page.tsx';
import { type Section, sectionOf, sections } from './sections.ts';
import { usePortal } from './session.ts';

const Home = pageScript(async () => (await import('./pages/home/home.tsx')).Home);
const Offers = pageScript(async () => (await import('./pages/offers/list/offers.tsx')).Offers);
const NewOffer = pageScript(async () => (await import('./pages/offers/new/new-offer.tsx')).NewOffer);
const Offer = pageScript(async () => (await import('./pages/offers/one/offer.tsx')).Offer);
const EditOffer = pageScript(async () => (await import('./pages/offers/one/edit-offer.tsx')).EditOffer);
const Money = pageScript(async () => (await import('./pages/money/money.tsx')).Money);
const Keys = pageScript(async () => (await import('./pages/keys/keys.tsx')).Keys);
const Webhooks = pageScript(async () => (await import('./pages/webhooks/webhooks.tsx')).Webhooks);
const Webhook = pageScript(async () => (await import('./pages/webhooks/webhook.tsx')).Webhook);
const Calls = pageScript(async () => (await import('./pages/calls/calls.tsx')).Calls);
const Call = pageScript(async () => (await import('./pages/calls/call.tsx')).Call);
const People = pageScript(async () => (await import('./pages/people/people.tsx')).People);
const Terms = pageScript(async () => (await import('./pages/terms/terms.tsx')).Terms);
const Settings = pageScript(async () => (await import('./pages/settings/settings.tsx')).Settings);

export function Pages() {
  const { may } = usePortal();
  const { path, url } = useLocation();
  const [error, forget] = useErrorBoundary();
  // After an error, another page may work.
  useEffect(() => forget(), [path]);
  const section: Section | undefined = sections.find((each) => each.path === sectionOf(path));
  if (error !== undefined) return <Broken key={url} />;
  // The server refuses too; this shows it without a request.
  if (section !== undefined && section.permission !== null && !may(section.permission))
    return <OfOthers key={section.path} section={section} />;
  return (
    <Router>
      <Route path="/portal/:mode" component={Home} />
      <Route path="/portal/:mode/offers" component={Offers} />
      <Route path="/portal/:mode/offers/new" component={NewOffer} />
      <Route path="/portal/:mode/offers/:id" component={Offer} />
      <Route path="/portal/:mode/offers/:id/edit" component={EditOffer} />
      <Route path="/portal/:mode/money" component={Money} />
      <Route path="/portal/:mode/keys" component={Keys} />
      <Route path="/portal/:mode/webhooks" component={Webhooks} />
      <Route path="/portal/:mode/webhooks/:id" component={Webhook} />
      <Route path="/portal/:mode/calls" component={Calls} />
      <Route path="/portal/:mode/calls/:request" component={Call} />
      <Route path="/portal/:mode/people" component={People} />
      <Route path="/portal/:mode/terms" component={Terms} />
      <Route path="/portal/:mode/settings" component={Settings} />
      <Route default component={NotFound} />
    </Router>
  );
}

function OfOthers({ section }: { readonly section: Section }) {
  const { session } = usePortal();
  return (
    <PortalPage title={section.title}>
      <p>
        Your role, {session.role}, does not show you this. An admin of {session.organisation.tradingName} can
        give you another one.
      </p>
    </PortalPage>
  );
}
