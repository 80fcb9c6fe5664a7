/** The registration form. The organisation exists after the link in the mail was used. */
import type { SignUpState } from '@offer-ads/contracts/portal/sign-up-api';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { bodyOrThrow, call } from '../../../ui/calls/call.ts';
import { Field, InputField, Options } from '../../../ui/field.tsx';
import { Form, textOf } from '../../../ui/form.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Outcome } from '../../../ui/outcome.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { byName, countryName, currencyName, currencyOfCountry } from '../names.ts';
import { PortalPage } from '../portal-page.tsx';

export function Register() {
  const state = useQuery<SignUpState>({
    queryKey: ['sign-up'],
    queryFn: ({ signal }) => bodyOrThrow(call<SignUpState>('/portal/api/sign-up', { signal })),
  });
  const [sentTo, setSentTo] = useState<string | null>(null);
  return (
    <PortalPage
      title={sentTo === null ? 'Register your organisation' : 'Check your email'}
      lead={sentTo === null ? 'Registration is free. You pay only for the offers that you buy.' : undefined}
    >
      <Loaded query={state} what="the form" lines={8}>
        {(data) =>
          data.open ? (
            // Keep the form with its values, so that a mistake can be corrected.
            <div hidden={sentTo !== null}>
              <SignUpForm state={data} sent={setSentTo} />
            </div>
          ) : (
            <Notice>
              <p>
                At present only the platform team registers organisations: ask them for an invitation. You
                will get a mail with a sign-in link.
              </p>
            </Notice>
          )
        }
      </Loaded>
      {state.data?.approval === true && sentTo === null && (
        <p class="muted">
          Until the platform team has approved your organisation, it has only TEST mode, with made-up members.
        </p>
      )}
      {sentTo !== null && <Sent to={sentTo} again={() => setSentTo(null)} />}
      <p>
        Registered already? <a href="/portal">Sign in</a>
      </p>
    </PortalPage>
  );
}

function SignUpForm(o: { readonly state: SignUpState; readonly sent: (email: string) => void }) {
  const { state, sent } = o;
  // That of the country, until the person has chosen another one.
  const [proposed, setProposed] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const ask = async (values: FormData) => {
    const names = ['name', 'tradingName', 'country', 'currency', 'email'] as const;
    const wish = Object.fromEntries(names.map((name) => [name, textOf(values, name)]));
    const reply = await call('/portal/api/sign-up', { method: 'POST', json: wish });
    if (!reply.ok) return reply.message;
    sent(wish['email'] ?? '');
    return null;
  };
  return (
    <Form send={ask} submit="Send me the link">
      <InputField
        label="Legal name"
        hint="The name on invoices."
        name="name"
        placesFaults
        maxLength={200}
        autocomplete="organization"
        required
      />
      <InputField
        label="Trading name"
        hint="What members see on your offers. You can change it later."
        name="tradingName"
        placesFaults
        maxLength={100}
        required
      />
      <div class="two">
        <Field name="country" label="Country" hint="In the United Kingdom VAT is added to card payments.">
          {(described) => (
            <select
              {...described}
              autocomplete="country"
              required
              onChange={({ currentTarget: { value } }) =>
                setProposed(currencyOfCountry(value, state.currencies) ?? '')
              }
            >
              <Choices codes={state.countries} nameOf={countryName} />
            </select>
          )}
        </Field>
        <Field name="currency" label="Billing currency" hint="It cannot be changed later.">
          {(described) => (
            <select
              {...described}
              required
              value={chosen ?? proposed}
              onChange={({ currentTarget: { value } }) => setChosen(value)}
            >
              <Choices codes={state.currencies} nameOf={currencyName} />
            </select>
          )}
        </Field>
      </div>
      <InputField
        label="Your email address"
        hint="You become the first admin. A link that works for 24 hours is sent there."
        name="email"
        placesFaults
        type="email"
        maxLength={254}
        autocomplete="email"
        required
      />
    </Form>
  );
}

function Choices(o: { readonly codes: readonly string[]; readonly nameOf: (code: string) => string }) {
  return (
    <>
      <option value="">Choose …</option>
      <Options of={byName(o.codes, o.nameOf).map(({ code, name }) => [code, name])} />
    </>
  );
}

function Sent({ to, again }: { readonly to: string; readonly again: () => void }) {
  return (
    <>
      <Outcome>
        <p>
          We have sent a mail to <strong>{to}</strong>. Open its link within 24 hours to register your
          organisation.
        </p>
      </Outcome>
      <p>
        No mail? Check the spam folder, or{' '}
        <button type="button" class="link" onClick={again}>
          check what you entered
        </button>{' '}
        and send it again. If you already belong to an organisation, the mail has a sign-in link instead.
      </p>
    </>
  );
}
