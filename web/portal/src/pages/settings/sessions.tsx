/** The sessions of the person, with buttons to end them. */
import type { SessionsReply } from '@offer-ads/contracts/portal/session-api';
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../../ui/busy-button.tsx';
import { Confirm } from '../../../../ui/confirm.tsx';
import { useOutcome } from '../../../../ui/outcome.tsx';
import { Loaded } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { usePortal, useRead } from '../../session.ts';
import { leave } from '../../tab-storage.ts';

export function Sessions() {
  const { api, session } = usePortal();
  const queries = useQueryClient();
  const queryKey = ['sessions', session.person.email];
  const sessions = useRead<SessionsReply>(queryKey, '/sessions');
  const { outcome, report, clear } = useOutcome();
  const [asking, setAsking] = useState(false);

  const end = async (id: string) => {
    clear();
    const reply = await api.send('DELETE', `/sessions/${id}`);
    await queries.invalidateQueries({ queryKey });
    // 404 means that the session has ended already.
    if (reply.ok || reply.status === 404) report(true, 'That session has ended.');
    else report(false, reply.message);
  };
  const endAll = async () => {
    const reply = await api.send('POST', '/sign-out-everywhere');
    if (!reply.ok && reply.status !== 401) return reply;
    leave();
    return undefined;
  };

  return (
    <section class="stack" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      {outcome}
      <Loaded query={sessions} what="your sessions">
        {(data) => (
          <div class="card">
            <Table
              rows={data.sessions}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Signed in', cell: ({ createdAt }) => <When at={createdAt} /> },
                { title: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
                { title: 'Organisation', cell: ({ organisation }) => organisation.name },
                {
                  title: 'Actions',
                  kind: 'actions',
                  cell: ({ id, createdAt, current }) =>
                    current ? (
                      <span class="muted">this one</span>
                    ) : (
                      <div class="row actions">
                        <BusyButton
                          class="quiet"
                          aria-label={`End the session of ${createdAt}`}
                          work={() => end(id)}
                        >
                          End
                        </BusyButton>
                      </div>
                    ),
                },
              ]}
            />
            <div>
              <button type="button" class="danger" onClick={() => setAsking(true)}>
                Sign out everywhere
              </button>
            </div>
          </div>
        )}
      </Loaded>
      {asking && (
        <Confirm
          title="Sign out everywhere?"
          submit="Sign out everywhere"
          act={endAll}
          close={() => setAsking(false)}
        >
          <p>All sessions of {session.person.email} end at once, this one too. API keys go on working.</p>
        </Confirm>
      )}
    </section>
  );
}
