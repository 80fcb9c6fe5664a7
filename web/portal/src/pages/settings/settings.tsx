/** The settings page: facts, trading name and billing details of the organisation; mails and sessions of the person. */
import type { OrganisationReply } from '@offer-ads/contracts/portal/organisation-api';
import { useQueryClient } from '@tanstack/preact-query';
import { InputField } from '../../../../ui/field.tsx';
import { Form, textOf } from '../../../../ui/form.tsx';
import { Loaded } from '../../../../ui/states.tsx';
import { countryName, currencyName } from '../../names.ts';
import { organisationKey, useOrganisation } from '../../organisation.ts';
import { PortalPage } from '../../portal-page.tsx';
import { sessionKey, usePortal } from '../../session.ts';
import { BillingDetails } from './billing-details.tsx';
import { LinkTags } from './link-tags.tsx';
import { Mails } from './mails.tsx';
import { SavedPlacesCard } from './saved-places.tsx';
import { Sessions } from './sessions.tsx';
import { TimeZone } from './time-zone.tsx';

export function Settings() {
  const { may } = usePortal();
  const organisation = useOrganisation();
  return (
    <PortalPage title="Settings">
      <section class="stack" aria-labelledby="organisation">
        <h2 id="organisation">Organisation</h2>
        <Loaded query={organisation} what="the organisation" lines={6}>
          {(data) => (
            <>
              <Facts of={data} />
              <div class="two wide">
                {may('organisation') && <TradingName of={data} />}
                <TimeZone of={data} />
              </div>
              {may('organisation') && <LinkTags />}
            </>
          )}
        </Loaded>
      </section>
      {may('billing') && <BillingDetails />}
      {may('offers') && <SavedPlacesCard />}
      <Mails />
      <Sessions />
    </PortalPage>
  );
}

function Facts({ of }: { readonly of: OrganisationReply }) {
  const { may, mode } = usePortal();
  const quota = of.quotas[mode === 'test' ? 'TEST' : 'LIVE'];
  return (
    <div class="card">
      <dl class="facts">
        <dt>Legal name</dt>
        <dd>{of.name}</dd>
        {!may('organisation') && (
          <>
            <dt>Trading name</dt>
            <dd>{of.tradingName}</dd>
          </>
        )}
        <dt>Country</dt>
        <dd>
          {countryName(of.country)}
          {of.country === 'GB' && <span class="muted"> · VAT of 20% is added to card payments</span>}
        </dd>
        <dt>Billing currency</dt>
        <dd>{currencyName(of.currency)}</dd>
        <dt>Offers at once</dt>
        <dd>
          {quota.perOrganisation} in {mode.toUpperCase()} mode, {quota.perPerson} per person{' '}
          <span class="muted">· deleted and ended ones do not count</span>
        </dd>
        <dt>Number</dt>
        <dd>{of.id}</dd>
      </dl>
      <p class="muted small">
        The platform team can change legal name and quotas. Country and currency cannot be changed.
      </p>
    </div>
  );
}

function TradingName({ of }: { readonly of: OrganisationReply }) {
  const { api, session } = usePortal();
  const queries = useQueryClient();
  const save = async (values: FormData) => {
    const tradingName = textOf(values, 'tradingName');
    const reply = await api.send<OrganisationReply>('PATCH', '/organisation', { json: { tradingName } });
    if (!reply.ok) return reply.message;
    queries.setQueryData(organisationKey(session), reply.body);
    // The frame of the page shows the name too.
    void queries.invalidateQueries({ queryKey: sessionKey });
    return null;
  };
  return (
    <div class="card">
      <Form
        send={save}
        submit="Save the trading name"
        kind="quiet"
        label="Trading name"
        saved="Saved. New offers have it at once."
      >
        <InputField
          label="Trading name"
          hint="Members see it on offers without an advertised name."
          name="tradingName"
          placesFaults
          maxLength={100}
          autocomplete="organization"
          defaultValue={of.tradingName}
          required
        />
      </Form>
    </div>
  );
}
