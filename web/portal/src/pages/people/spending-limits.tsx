/** How much each person of a role may order: a form for each role whose people may order. */
import type { SpendingLimits } from '@offer-ads/contracts/portal/organisation-api';
import { useQueryClient } from '@tanstack/preact-query';
import { Form } from '../../../../ui/form.tsx';
import { Loaded } from '../../../../ui/states.tsx';
import { useSpendingFields } from '../../amounts/spending-fields.tsx';
import { usePortal, useRead } from '../../session.ts';
import { roles } from './listed-people.ts';

export function RoleLimits() {
  const { session } = usePortal();
  const queryKey = [session.organisation.id, 'spending-limits'];
  const limits = useRead<SpendingLimits>(queryKey, '/spending-limits');
  return (
    <section class="stack" aria-labelledby="spending-limits">
      <h2 id="spending-limits">Spending limits</h2>
      <p class="muted">
        The most that one person may order in each mode. An empty field sets no limit. API keys have limits of
        their own.
      </p>
      <Loaded query={limits} what="spending limits" lines={4}>
        {(data) => (
          <div class="two wide">
            <LimitsOfRole role="admin" of={data.admin} queryKey={queryKey} />
            <LimitsOfRole role="marketer" of={data.marketer} queryKey={queryKey} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

type LimitsOfRoleProps = {
  readonly role: keyof SpendingLimits;
  readonly of: SpendingLimits[keyof SpendingLimits];
  readonly queryKey: readonly unknown[];
};

function LimitsOfRole({ role, of, queryKey }: LimitsOfRoleProps) {
  const { api } = usePortal();
  const queries = useQueryClient();
  const { fields, read } = useSpendingFields(of);
  const { title } = roles[role];
  const save = async () => {
    const wanted = read();
    if (wanted === null) return undefined;
    const reply = await api.send<SpendingLimits>('PUT', '/spending-limits', { json: { role, ...wanted } });
    if (!reply.ok) return reply.message;
    queries.setQueryData(queryKey, reply.body);
    return null;
  };
  return (
    <div class="card">
      <h3>Each {title}</h3>
      <Form send={save} submit="Save" kind="quiet" label={`Spending limits of each ${title}`} saved="Saved.">
        <div class="two">{fields}</div>
      </Form>
    </div>
  );
}
