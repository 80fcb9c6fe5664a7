/** The sign-in page: asks for the name and the access token of a staff member. */
import type { ConsoleSessionReply } from '@offer-ads/contracts/admin/console-api';
import { useQueryClient } from '@tanstack/preact-query';
import { Alone } from '../../ui/alone.tsx';
import { call } from '../../ui/calls/call.ts';
import { Field } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ConsolePage } from './console-page.tsx';
import { changeSession } from './session.ts';

/** `ended`: the session has ended; after sign-in the person returns to the same page. */
export function SignIn({ ended }: { readonly ended: boolean }) {
  const queries = useQueryClient();
  const signIn = async (values: FormData) => {
    const json = { name: textOf(values, 'name'), token: textOf(values, 'token') };
    const reply = await call<ConsoleSessionReply>('/api/sign-in', { method: 'POST', json });
    if (!reply.ok) return reply.message;
    changeSession(queries, reply.body);
    return null;
  };
  return (
    <Alone home="/" site="Staff console">
      <ConsolePage title="Sign in to the staff console" lead="For the platform's own staff.">
        {ended && <Notice kind="warning">Your session has ended. Sign in to continue on this page.</Notice>}
        <Form send={signIn} submit="Sign in">
          <Field label="Name">
            {(described) => (
              <input
                {...described}
                name="name"
                autocomplete="username"
                autocapitalize="none"
                spellcheck={false}
                maxLength={64}
                required
              />
            )}
          </Field>
          <Field
            label="Access token"
            hint="You are signed out after 30 minutes without a click, and after 8 hours in any case."
          >
            {(described) => (
              <input
                {...described}
                name="token"
                type="password"
                autocomplete="current-password"
                maxLength={200}
                required
              />
            )}
          </Field>
        </Form>
      </ConsolePage>
    </Alone>
  );
}
