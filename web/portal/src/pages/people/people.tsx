/** The people page: the list, roles and invitations. */
import type { PeopleOfOrganisation, PortalPerson } from '@offer-ads/contracts/portal/organisation-api';
import { useQueryClient } from '@tanstack/preact-query';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Reply } from '../../../../ui/calls/call.ts';
import { useOutcome } from '../../../../ui/outcome.tsx';
import { Loaded } from '../../../../ui/states.tsx';
import { PortalPage } from '../../portal-page.tsx';
import { sessionKey, usePortal, useRead } from '../../session.ts';
import { ChangePerson } from './change-person.tsx';
import { Invite } from './invite.tsx';
import { roleNames, roles, type Step } from './listed-people.ts';
import { PeopleList } from './people-list.tsx';
import { RoleLimits } from './spending-limits.tsx';

export function People() {
  const { api, session, may } = usePortal();
  const queries = useQueryClient();
  const queryKey = [session.organisation.id, 'people'];
  const people = useRead<PeopleOfOrganisation>(queryKey, '/people');
  const [open, setOpen] = useState<{ readonly step: Step; readonly person: PortalPerson } | 'invite' | null>(
    null,
  );
  const { outcome, report } = useOutcome();

  /** Puts the person of the reply into the list at once. */
  const put = (reply: Reply<PortalPerson>, text: (person: PortalPerson) => string) => {
    void queries.invalidateQueries({ queryKey });
    if (!reply.ok) return reply;
    const { body } = reply;
    queries.setQueryData<PeopleOfOrganisation>(
      queryKey,
      (known) =>
        known && {
          people: known.people.some(({ id }) => id === body.id)
            ? known.people.map((person) => (person.id === body.id ? body : person))
            : [...known.people, body],
        },
    );
    // The person changed their own role, so the visible pages change.
    if (body.id === session.person.id) void queries.invalidateQueries({ queryKey: sessionKey });
    report(true, text(body));
    setOpen(null);
    return undefined;
  };
  const inviteAgain = async (person: PortalPerson) => {
    const reply = await api.send<PortalPerson>('POST', `/people/${person.id}/invitation`);
    const refusal = put(reply, ({ email }) => `A new invitation is on its way to ${email}.`);
    // 429 is of this person, with the time to wait in it.
    if (refusal !== undefined) report(false, `${person.email} was not invited again. ${refusal.message}`);
  };

  return (
    <PortalPage
      title="People"
      lead="The people of your organisation and their roles. There are no passwords: everybody signs in with a mailed link."
      actions={
        <button type="button" onClick={() => setOpen('invite')}>
          Invite a person
        </button>
      }
    >
      {outcome}
      <Loaded query={people} what="people" lines={6}>
        {(data) => (
          <PeopleList
            people={data.people}
            begin={(step, person) => setOpen({ step, person })}
            inviteAgain={inviteAgain}
          />
        )}
      </Loaded>
      <details class="more">
        <summary>What each role may do</summary>
        <dl class="facts">
          {roleNames.map((role) => (
            <Fragment key={role}>
              <dt>{roles[role].title}</dt>
              <dd>{roles[role].may}</dd>
            </Fragment>
          ))}
        </dl>
      </details>
      {may('key-rights') && <RoleLimits />}
      {open === 'invite' && (
        <Invite
          close={() => setOpen(null)}
          invite={async (email, role) =>
            put(
              await api.send<PortalPerson>('POST', '/people', { json: { email, role } }),
              (person) => `An invitation is on its way to ${person.email}. Its link works for 72 hours.`,
            )
          }
        />
      )}
      {open !== null && open !== 'invite' && (
        <ChangePerson
          step={open.step}
          person={open.person}
          close={() => setOpen(null)}
          change={async (change, text) =>
            put(
              await api.send<PortalPerson>('PATCH', `/people/${open.person.id}`, { json: change }),
              () => text,
            )
          }
        />
      )}
    </PortalPage>
  );
}
