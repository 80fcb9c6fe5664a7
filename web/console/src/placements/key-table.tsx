/** Placement keys without their secrets, those that work first. */
import type { PlacementKey } from '@offer-ads/contracts/admin/gateway-api';
import { useState } from 'preact/hooks';
import { useShown } from '../../../ui/show-more.tsx';
import { Empty } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { ActionButton } from '../may.tsx';
import { maskOf, replacedKeys, standingOf } from './standing.ts';

export type KeyAction = 'roll' | 'disable' | 'limit';

type KeyTableProps = {
  readonly keys: readonly PlacementKey[];
  readonly begin: (action: KeyAction, key: PlacementKey) => void;
};

export function KeyTable({ keys, begin }: KeyTableProps) {
  const [withPast, setWithPast] = useState(false);
  const replaced = replacedKeys(keys);
  const now = new Date();
  const all = keys.map((key) => ({
    ...key,
    standing: standingOf(key, { replaced: replaced.has(key.id), now }),
  }));
  const past = all.filter(({ standing }) => !standing.works);
  const working = all.filter(({ standing }) => standing.works);
  const { shown, more } = useShown(withPast ? [...working, ...past] : working);
  return (
    <>
      {past.length > 0 && (
        <label class="choice">
          <input
            type="checkbox"
            checked={withPast}
            onChange={(event) => setWithPast(event.currentTarget.checked)}
          />
          Also disabled and expired ones ({past.length})
        </label>
      )}
      {shown.length === 0 ? (
        <Empty title="No active placement key">
          <p class="muted">Without one, the community platform can show no offers.</p>
        </Empty>
      ) : (
        <Table
          rows={shown}
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Key',
              cell: (key) => (
                <>
                  <strong>{key.name}</strong>{' '}
                  <span class={`badge ${key.standing.kind}`}>{key.standing.text}</span>
                  <br />
                  <code class="muted">…{key.lastFour}</code>
                </>
              ),
            },
            { title: 'Mode', cell: ({ mode }) => mode },
            {
              title: 'Requests a minute',
              short: 'A minute',
              numeric: true,
              cell: (key) => key.requestsPerMinute.toLocaleString('en-GB'),
            },
            { title: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} none="never" /> },
            {
              title: 'Stops',
              cell: ({ disabledAt, expiresAt }) => <When at={disabledAt ?? expiresAt} none="never" />,
            },
            {
              title: 'Actions',
              kind: 'actions',
              cell: (key) => <Actions of={key} works={key.standing.works} begin={begin} />,
            },
          ]}
        />
      )}
      {more}
    </>
  );
}

type ActionsProps = Pick<KeyTableProps, 'begin'> & { readonly of: PlacementKey; readonly works: boolean };

function Actions({ of: key, works, begin }: ActionsProps) {
  const nameOf = `${key.name} ${maskOf(key)}`;
  const button = (action: KeyAction, text: string) => (
    <ActionButton
      call={`POST /gateway/placement-keys/:id/${action}`}
      class={action === 'disable' ? 'danger' : 'quiet'}
      label={`${text} ${nameOf}`}
      onClick={() => begin(action, key)}
    >
      {text}
    </ActionButton>
  );
  return (
    <div class="row actions">
      <a href={`/placements/calls?key=${key.id}`} aria-label={`Calls of ${nameOf}`}>
        Calls
      </a>
      {works && (
        <>
          {button('limit', 'Limit')}
          {button('roll', 'Roll')}
          {button('disable', 'Disable')}
        </>
      )}
    </div>
  );
}
