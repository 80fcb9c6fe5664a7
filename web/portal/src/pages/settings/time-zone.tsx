/** The time zone of the organisation: the days of charts are its days (Admin changes it). */
import type { OrganisationReply } from '@offer-ads/contracts/portal/organisation-api';
import { useQueryClient } from '@tanstack/preact-query';
import { Options, SelectField } from '../../../../ui/field.tsx';
import { Form, textOf } from '../../../../ui/form.tsx';
import { organisationKey } from '../../organisation.ts';
import { usePortal } from '../../session.ts';

/** Names of today that browsers know and do not list: they list the ones of before, such as Asia/Calcutta. */
const renamed = ['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Ho_Chi_Minh', 'Asia/Yangon', 'Europe/Kyiv'];

export function TimeZone({ of }: { readonly of: OrganisationReply }) {
  const { api, session, may } = usePortal();
  const queries = useQueryClient();
  if (!may('organisation'))
    return (
      <p class="muted small">
        Charts show days of {of.timeZone ?? 'UTC'}. An admin can choose another time zone.
      </p>
    );
  const browsers = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [
    ...new Set([
      'UTC',
      browsers,
      ...(of.timeZone === null ? [] : [of.timeZone]),
      ...Intl.supportedValuesOf('timeZone'),
      ...renamed,
    ]),
  ].toSorted();
  const save = async (values: FormData) => {
    const timeZone = textOf(values, 'timeZone');
    const reply = await api.send<OrganisationReply>('PUT', '/organisation/time-zone', { json: { timeZone } });
    if (!reply.ok) return reply.message;
    queries.setQueryData(organisationKey(session), reply.body);
    return null;
  };
  return (
    <div class="card">
      <Form
        send={save}
        submit="Save the time zone"
        kind="quiet"
        label="Time zone"
        saved="Saved. Charts show its days for everybody in the organisation."
      >
        <SelectField
          label="Time zone"
          hint={
            of.timeZone === null
              ? 'None is chosen yet, so charts show days of UTC. The field shows the time zone of your browser.'
              : 'Charts show its days, for everybody in the organisation.'
          }
          name="timeZone"
          placesFaults
        >
          <Options
            of={zones.map((zone) => [zone, zone.replaceAll('_', ' ')])}
            chosen={of.timeZone ?? browsers}
          />
        </SelectField>
      </Form>
    </div>
  );
}
