/** The sign-in page: leads to the sign-in service of the staff; with an emergency token where these are accepted. */
import type { BeginSignInReply, SignInWaysReply } from '@offer-ads/contracts/admin/console-api';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { Alone } from '../../ui/alone.tsx';
import { bodyOrThrow, call } from '../../ui/calls/call.ts';
import { InputField } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Loaded } from '../../ui/states.tsx';
import { ConsolePage } from './console-page.tsx';
import { sessionKey } from './session.ts';

/** By the words that the console puts into the address after a sign-in that failed. */
const problems: Readonly<Record<string, string>> = {
  'no-role':
    'You are known to the sign-in service, but you have no role in this console. Ask an administrator to add you to one of its groups, then sign in again.',
  'no-name': 'The sign-in service gave no name, or no verified address, for you. Ask who runs it.',
  refused: 'The sign-in service refused the sign-in, or it was cancelled there.',
  invalid:
    'The answer of the sign-in service could not be accepted. Sign in again. If it happens again, ask who runs the console.',
  unavailable: 'The sign-in service did not answer properly. Try again in a minute.',
  expired: 'This sign-in was begun too long ago, or in another browser. Sign in again.',
};

/** `ended`: the session has ended; after sign-in the person returns to the same page. */
export function SignIn({ ended }: { readonly ended: boolean }) {
  const { query } = useLocation();
  const ways = useQuery<SignInWaysReply>({
    queryKey: ['sign-in'],
    queryFn: ({ signal }) => bodyOrThrow(call<SignInWaysReply>('/api/sign-in', { signal })),
  });
  const problem = query.problem === undefined ? undefined : (problems[query.problem] ?? problems.invalid);
  return (
    <Alone home="/" site="Staff console">
      <ConsolePage title="Sign in to the staff console" lead="For the platform's own staff.">
        {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
        {ended && problem === undefined && (
          <Notice kind="warning">Your session has ended. Sign in to continue on this page.</Notice>
        )}
        <Loaded query={ways} what="the ways to sign in">
          {({ service, emergencyToken }) => (
            <>
              {service && <ByService asAnother={query.problem === 'no-role'} />}
              {emergencyToken && <WithToken isAlone={!service} />}
            </>
          )}
        </Loaded>
        <p class="small muted">
          You are signed out after 30 minutes without a click, and after 8 hours in any case.
        </p>
      </ConsolePage>
    </Alone>
  );
}

function ByService({ asAnother }: { readonly asAnother: boolean }) {
  const begin = async () => {
    const { pathname, search } = location;
    const returnTo = new URLSearchParams(search).has('problem') ? '/' : pathname + search;
    const reply = await call<BeginSignInReply>('/api/sign-in/begin', {
      method: 'POST',
      json: { returnTo, asAnother },
    });
    if (!reply.ok) return reply.message;
    location.assign(reply.body.address);
    return null;
  };
  return (
    <Form send={begin} submit={asAnother ? 'Sign in as somebody else' : 'Sign in'} label="Sign in">
      <></>
    </Form>
  );
}

function WithToken({ isAlone }: { readonly isAlone: boolean }) {
  const queries = useQueryClient();
  const signIn = async (values: FormData) => {
    const json = { name: textOf(values, 'name'), token: textOf(values, 'token') };
    const reply = await call('/api/sign-in', { method: 'POST', json });
    if (!reply.ok) return reply.message;
    await queries.invalidateQueries({ queryKey: sessionKey });
    return null;
  };
  const form = (
    <Form send={signIn} submit="Sign in with the token" label="Sign in with a token">
      <InputField
        label="Name"
        name="name"
        autocomplete="username"
        autocapitalize="none"
        spellcheck={false}
        maxLength={64}
        required
      />
      <InputField
        label="Emergency token"
        hint="Its use alerts the platform team, and the audit log marks each action."
        name="token"
        type="password"
        autocomplete="current-password"
        maxLength={200}
        required
      />
    </Form>
  );
  return isAlone ? (
    form
  ) : (
    <details>
      <summary>Emergency: sign in with a token</summary>
      {form}
    </details>
  );
}
