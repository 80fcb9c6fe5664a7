/** The optional mails of the person. Each change is saved at once. */
import type { MailPreferences } from '@offer-ads/contracts/internal/notifier-api';
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Notice } from '../../../../ui/notice.tsx';
import { Loaded } from '../../../../ui/states.tsx';
import { usePortal, useRead } from '../../session.ts';

const mails = {
  offerEndsSoon: 'An offer ends in a day',
  offerEnded: 'An offer has ended',
  balanceLow: 'The balance fell below its threshold',
  weeklyReport: 'It is Monday: views, clicks and cost of the week, if LIVE offers ran',
  testMode: 'Something happened in TEST mode: payments, credits, ends of TEST offers',
} as const satisfies Record<keyof MailPreferences, string>;
type Mail = keyof typeof mails;

export function Mails() {
  const { api, session } = usePortal();
  const queries = useQueryClient();
  const queryKey = [session.organisation.id, 'mail-preferences'];
  const preferences = useRead<MailPreferences>(queryKey, '/mail-preferences');
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<string | null>(null);

  const set = async (known: MailPreferences, mail: Mail, wanted: boolean) => {
    setProblem(null);
    setSaid('');
    const wish = { ...known, [mail]: wanted };
    // Show the change at once; undo it if the request fails.
    queries.setQueryData(queryKey, wish);
    const reply = await api.send<MailPreferences>('PUT', '/mail-preferences', { json: wish });
    queries.setQueryData(queryKey, reply.ok ? reply.body : known);
    if (reply.ok) setSaid('Saved.');
    else setProblem(reply.message);
  };

  return (
    <section class="stack" aria-labelledby="mails">
      <h2 id="mails">Mails to you</h2>
      <Loaded query={preferences} what="your mails">
        {(known) => (
          <div class="card">
            <fieldset>
              <legend>Send a mail to {session.person.email} when</legend>
              {(Object.keys(mails) as Mail[]).map((mail) => (
                <label key={mail} class="choice">
                  <input
                    type="checkbox"
                    checked={known[mail]}
                    onChange={(event) => void set(known, mail, event.currentTarget.checked)}
                  />
                  {mails[mail]}
                </label>
              ))}
            </fieldset>
            <p class="muted small">
              Mails about payments, credits and payment links of LIVE mode, and mails with a sign-in link, are
              always sent.
            </p>
            <p class="small" role="status">
              {said}
            </p>
            {problem !== null && <Notice kind="problem">{problem}</Notice>}
          </div>
        )}
      </Loaded>
    </section>
  );
}
