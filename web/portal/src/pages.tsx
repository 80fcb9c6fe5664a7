/** The pages for signed-in people. The scripts of most are loaded on first use. */
import type { Permission } from '@offer-ads/contracts/portal/session-api';
import type { QueryClient } from '@tanstack/preact-query';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { Route, Router, useLocation } from 'preact-iso';
import { exec } from 'preact-iso/router';
import { Broken, type PageScript, pageScript } from './page-script.tsx';
import { NotFound } from './pages/not-found.tsx';
import { NewOffer } from './pages/offers/new/new-offer.tsx';
import { modeOf, portalOf } from './portal.ts';
import { PortalPage } from './portal-page.tsx';
import { type Section, sectionOf, sections } from './sections.ts';
import { sessionKey, sessionQuery, usePortal } from './session.ts';

const Home = pageScript(async () => (await import('./pages/home/home.tsx')).Home);
const Offers = pageScript(async () => (await import('./pages/offers/list/offers.tsx')).Offers);
/** Part of the first script: on a slow phone its price would come a round trip later otherwise. */
const MakeOffer = pageScript(async () => NewOffer);
const ImportOffers = pageScript(
  async () => (await import('./pages/offers/import/import-offers.tsx')).ImportOffers,
);
const Offer = pageScript(async () => (await import('./pages/offers/one/offer.tsx')).Offer);
const Group = pageScript(async () => (await import('./pages/offers/one/group.tsx')).Group);
const EditOffer = pageScript(async () => (await import('./pages/offers/one/edit-offer.tsx')).EditOffer);
const EditGroup = pageScript(async () => (await import('./pages/offers/one/edit-offer.tsx')).EditGroup);
const Money = pageScript(async () => (await import('./pages/money/money.tsx')).Money);
const Keys = pageScript(async () => (await import('./pages/keys/keys.tsx')).Keys);
const Webhooks = pageScript(async () => (await import('./pages/webhooks/webhooks.tsx')).Webhooks);
const Webhook = pageScript(async () => (await import('./pages/webhooks/webhook.tsx')).Webhook);
const Calls = pageScript(async () => (await import('./pages/calls/calls.tsx')).Calls);
const Call = pageScript(async () => (await import('./pages/calls/call.tsx')).Call);
const People = pageScript(async () => (await import('./pages/people/people.tsx')).People);
const Terms = pageScript(async () => (await import('./pages/terms/terms.tsx')).Terms);
const Settings = pageScript(async () => (await import('./pages/settings/settings.tsx')).Settings);

/** A page needs the permission of its section, unless it names another one. */
const routes: readonly (readonly [address: string, page: PageScript, needs?: Permission])[] = [
  ['/portal/:mode', Home],
  ['/portal/:mode/offers', Offers],
  ['/portal/:mode/offers/new', MakeOffer, 'offers'],
  ['/portal/:mode/offers/import', ImportOffers, 'offers'],
  ['/portal/:mode/offers/groups/:id', Group],
  ['/portal/:mode/offers/groups/:id/edit', EditGroup, 'offers'],
  ['/portal/:mode/offers/:id', Offer],
  ['/portal/:mode/offers/:id/edit', EditOffer, 'offers'],
  ['/portal/:mode/money', Money],
  ['/portal/:mode/keys', Keys],
  ['/portal/:mode/webhooks', Webhooks],
  ['/portal/:mode/webhooks/:id', Webhook],
  ['/portal/:mode/calls', Calls],
  ['/portal/:mode/calls/:request', Call],
  ['/portal/:mode/people', People],
  ['/portal/:mode/terms', Terms],
  ['/portal/:mode/settings', Settings],
];

const routeAt = (path: string) => routes.find(([address]) => exec(path, address) !== undefined);

/**
 * Loads the script of a page together with the session, before anything is drawn. Then asks what the page asks first: a slow phone draws a
 * page with its answer sooner than first the page and then the answer.
 */
export async function beginPage(path: string, queries: QueryClient): Promise<void> {
  const script = routeAt(path)?.[1];
  const mode = modeOf(path);
  if (script === undefined || mode === null) return;
  const [page] = await Promise.all([script.preload(), queries.prefetchQuery(sessionQuery)]);
  const session = queries.getQueryData(sessionQuery.queryKey);
  if (!session) return;
  const sessionChanged = () => void queries.invalidateQueries({ queryKey: sessionKey });
  const first = page.firstQuery?.(portalOf(session, mode, sessionChanged));
  if (first) await queries.prefetchQuery(first);
}

export function Pages() {
  const { may } = usePortal();
  const { path, url } = useLocation();
  const [error, forget] = useErrorBoundary();
  // After an error, another page may work.
  useEffect(() => forget(), [path]);
  const section: Section | undefined = sections.find((each) => each.path === sectionOf(path));
  if (error !== undefined) return <Broken key={url} />;
  // The server refuses too; this shows it without a request.
  const needed = routeAt(path)?.[2] ?? section?.permission ?? null;
  if (section !== undefined && needed !== null && !may(needed))
    return <OfOthers key={section.path} section={section} />;
  return (
    <Router>
      {routes.map(([address, script]) => (
        <Route key={address} path={address} component={script} />
      ))}
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
