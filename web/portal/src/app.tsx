/** The portal's routes. The mode is part of the address, so that two tabs can be in two modes. */
import { type QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { pageScript } from './page-script.tsx';
import { SignedIn } from './signed-in.tsx';

/** Other pages of the gateway are below `/portal` too; links to them leave the portal. */
const portalAddresses = /^\/portal(?!\/(api|docs|openapi|unsubscribe))/;

const SignIn = pageScript(async () => (await import('./pages/sign-in.tsx')).SignIn);
const SignUp = pageScript(async () => (await import('./pages/sign-up.tsx')).SignUp);

export function App({ queries }: { readonly queries: QueryClient }) {
  return (
    <QueryClientProvider client={queries}>
      <LocationProvider scope={portalAddresses}>
        <Addresses />
      </LocationProvider>
    </QueryClientProvider>
  );
}

/** Links in mails work without a session; all other pages need a sign-in. */
function Addresses() {
  const { path } = useLocation();
  if (!/^\/portal\/sign-(in|up)\/?$/.test(path)) return <SignedIn />;
  return (
    <Router>
      <Route path="/portal/sign-in" component={SignIn} />
      <Route path="/portal/sign-up" component={SignUp} />
    </Router>
  );
}
