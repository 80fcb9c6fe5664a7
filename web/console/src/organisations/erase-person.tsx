/** Shows what is stored of a person in all organisations, and erases it. The gateway comes first: its event makes the notifier forget too. */
import type { PersonErasureReply } from '@offer-ads/contracts/admin/gateway-api';
import type { MailboxErasureReply } from '@offer-ads/contracts/admin/notifier-api';
import { useEffect, useState } from 'preact/hooks';
import type { Reply } from '../../../ui/calls/call.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Loading } from '../../../ui/states.tsx';
import { type CloseWithMessage, ReasonDialog } from '../reason-dialog.tsx';
import { useConsole } from '../session.ts';

type ErasePersonProps = {
  readonly email: string;
  readonly close: CloseWithMessage;
};

type Stored = { readonly account: PersonErasureReply; readonly mails: MailboxErasureReply };

export function ErasePerson({ email, close }: ErasePersonProps) {
  const { send } = useConsole();
  const [stored, setStored] = useState<Reply<Stored> | null>(null);
  useEffect(() => {
    void erase(send, email, { dryRun: true }).then(setStored);
  }, [send, email]);
  return (
    <ReasonDialog
      title={`Erase ${email} for ever?`}
      submit="Erase for ever"
      ends
      act={(sendWithReason) => erase(sendWithReason, email, { dryRun: false })}
      done={() => 'The person is erased. Look at the parked events: one may contain the address.'}
      close={close}
    >
      {stored === null && <Loading what="what is stored" lines={4} />}
      {stored?.ok === false && <Notice kind="problem">{stored.message}</Notice>}
      {stored?.ok && <Summary stored={stored.body} />}
      <div class="stack small muted">
        <p>This is kept:</p>
        <ul>
          <li>invoices and the ledger, for 10 years: they name the organisation only</li>
          <li>the person's number: it leads to nobody after that</li>
          <li>backups, until they are deleted</li>
        </ul>
      </div>
    </ReasonDialog>
  );
}

function Summary({ stored: { account, mails } }: { readonly stored: Stored }) {
  const alone = account.memberships.filter(({ isLastAdmin }) => isLastAdmin);
  return (
    <>
      <p>The person cannot sign in any more, and their keys stop working. This is erased:</p>
      <ul>
        {account.memberships.map(({ personId, organisationId, organisationName, role }) => (
          <li key={personId}>
            {role} of {organisationName} (organisation {organisationId})
          </li>
        ))}
        <li>
          {[
            counted(account.sessions, 'session'),
            counted(account.links, 'link'),
            counted(account.signUps, 'registration'),
            'events of the last 14 days',
          ].join(', ')}
        </li>
        <li>
          {[
            `${counted(mails.notifications, 'mail')} of the last 180 days`,
            counted(mails.bounces, 'bounce'),
            counted(mails.preferences, 'choice'),
          ].join(', ')}
        </li>
      </ul>
      {alone.map(({ organisationId, organisationName }) => (
        <Notice key={organisationId} kind="warning">
          {organisationName} has no other admin. Make somebody else an admin first. Otherwise only the
          platform team can manage it.
        </Notice>
      ))}
    </>
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns what was erased, or why something was not. What is done stays done, so it can be repeated. */
async function erase(
  send: <Body>(path: string, body: object) => Promise<Reply<Body>>,
  email: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Reply<Stored>> {
  const account = await send<PersonErasureReply>('/gateway/people/erase', { person: { email }, dryRun });
  if (!account.ok) return account;
  const personIds = account.body.memberships.map(({ personId }) => personId);
  const mails = await send<MailboxErasureReply>('/notifier/people/erase', { email, personIds, dryRun });
  if (mails.ok) return { ...mails, body: { account: account.body, mails: mails.body } };
  return { ...mails, message: `The gateway is done. The notifier is not: ${mails.message} Try it again.` };
}
