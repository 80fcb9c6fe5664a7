/** The portal's routes. The mode is part of the address, so that two tabs can be in two modes. */
import { QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { Refused } from '../../ui/calls/call.ts';
import { pageScript } from './page-script.tsx';
import { SignedIn } from './signed-in.tsx';

/** Other pages of the gateway are below `/portal` too; links to them leave the portal. */
const portalAddresses = /^\/portal(?!\/(api|docs|openapi|unsubscribe))/;

const SignIn = pageScript(async () => (await import('./pages/sign-in.tsx')).SignIn);
const SignUp = pageScript(async () => (await import('./pages/sign-up.tsx')).SignUp);

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Repeating a refused request does not help; a request that did not reach the server is repeated once.
      retry: (failures, error) => failures < 1 && error instanceof Refused && isOutOfReach(error),
      staleTime: 5_000,
    },
  },
});

function isOutOfReach({ refusal }: Refused): boolean {
  return refusal.status === 0 || refusal.status >= 500;
}

export function App() {
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
