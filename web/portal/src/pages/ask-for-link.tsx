/** The sign-in page: asks for a link by mail. There are no passwords that could be stolen. */
import { useState } from 'preact/hooks';
import { call } from '../../../ui/calls/call.ts';
import { InputField } from '../../../ui/field.tsx';
import { Form, textOf } from '../../../ui/form.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { PortalPage } from '../portal-page.tsx';
import { SignedOut } from '../signed-out.tsx';
import { hasJustSignedOut } from '../tab-storage.ts';

export function AskForLink() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const ask = async (values: FormData) => {
    const email = textOf(values, 'email');
    const reply = await call('/portal/api/sign-in', { method: 'POST', json: { email } });
    if (!reply.ok) return reply.message;
    setSentTo(email);
    return null;
  };
  return (
    <SignedOut>
      <PortalPage title="Sign in to the advertiser portal">
        {sentTo === null && hasJustSignedOut() && <Notice kind="good">You are signed out.</Notice>}
        {sentTo !== null && (
          <Notice kind="good">
            <p>
              If <strong>{sentTo}</strong> is known here, a sign-in link is on its way to it. It works once,
              for 15 minutes.
            </p>
            <p>No mail? Check the spam folder and the address, then ask again.</p>
          </Notice>
        )}
        <Form send={ask} submit={sentTo === null ? 'Send me a link' : 'Send another link'}>
          <InputField
            label="Email address"
            hint="There is no password: a link that works once is sent to your email address."
            name="email"
            placesFaults
            type="email"
            autocomplete="email"
            maxLength={254}
            required
          />
        </Form>
        <p>
          New here? <a href="/portal/sign-up">Register your organisation</a>. You can read{' '}
          <a href="/docs">the guides</a> without signing in.
        </p>
      </PortalPage>
    </SignedOut>
  );
}
