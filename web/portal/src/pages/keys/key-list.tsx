/** The list of keys with owner, expiry and last use. */
import type { ApiKey } from '@offer-ads/contracts/portal/organisation-api';
import { KeyRound } from 'lucide';
import { useState } from 'preact/hooks';
import { Notice } from '../../../../ui/notice.tsx';
import { Search } from '../../../../ui/search.tsx';
import { useShown } from '../../../../ui/show-more.tsx';
import { Empty } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { usePortal } from '../../session.ts';
import { RightsOf } from './key-rights.tsx';
import { isPast, listKeys, maskOf, mayBeRolled } from './listed-keys.ts';

type KeyListProps = {
  readonly keys: readonly ApiKey[];
  readonly roll: (key: ApiKey) => void;
  /** Undefined: the person may not change limits. */
  readonly limit: ((key: ApiKey) => void) | undefined;
  readonly disable: (key: ApiKey) => void;
};

/** With fewer keys no search field is needed. */
const manyKeys = 8;

export function KeyList({ keys, roll, limit, disable }: KeyListProps) {
  const { mode } = usePortal();
  const [text, setText] = useState('');
  const [withPast, setWithPast] = useState(false);
  const { listed, inForce, past, withoutMode } = listKeys(keys, { mode, text, withPast });
  const { shown, more } = useShown(listed);

  return (
    <>
      {withoutMode > 0 && (
        <Notice kind="warning">
          <p>
            {withoutMode === 1
              ? 'The API refuses all calls with a key that has no mode. Create a new key, use it instead, and disable the old one.'
              : `The API refuses all calls with the ${withoutMode} keys that have no mode. Create new keys, use them instead, and disable the old ones.`}
          </p>
        </Notice>
      )}
      {(past > 0 || inForce > manyKeys) && (
        <div class="row spread">
          {inForce + past > manyKeys && (
            <Search
              label="Find keys by name, last four characters or owner"
              placeholder="Name, last four, owner"
              text={text}
              search={setText}
            />
          )}
          {past > 0 && (
            <label class="choice">
              <input
                type="checkbox"
                checked={withPast}
                onChange={(event) => setWithPast(event.currentTarget.checked)}
              />
              Also disabled and expired ones ({past})
            </label>
          )}
        </div>
      )}
      <p class="hidden" role="status">
        {listed.length} {listed.length === 1 ? 'key' : 'keys'} listed
      </p>
      {listed.length === 0 ? (
        <Empty
          title={text === '' ? `No active ${mode.toUpperCase()} key` : 'No matching key'}
          icon={KeyRound}
        >
          {text === '' ? (
            <p class="muted">Create a key so that your programs can call the API.</p>
          ) : (
            <button type="button" class="quiet" onClick={() => setText('')}>
              Show all
            </button>
          )}
        </Empty>
      ) : (
        <div class="card">
          <Table
            rows={shown}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Key', kind: 'name', cell: (key) => <Name of={key} /> },
              { title: 'Owner', cell: (key) => <div class="address">{key.createdBy.email}</div> },
              { title: 'Last used', cell: (key) => <When at={key.lastUsedAt} none="never" /> },
              { title: 'Expires', cell: (key) => <When at={key.expiresAt} none="never" /> },
              {
                title: 'Actions',
                kind: 'actions',
                cell: (key) => <Actions of={key} roll={roll} limit={limit} disable={disable} />,
              },
            ]}
          />
          {more}
        </div>
      )}
    </>
  );
}

function Name({ of: key }: { readonly of: ApiKey }) {
  return (
    <>
      <strong>{key.name}</strong> <Standing of={key} />
      <br />
      <code class="muted">{maskOf(key)}</code>
      {key.requestsPerMinute !== null && (
        <span class="muted small"> · at most {key.requestsPerMinute} requests a minute</span>
      )}
      <RightsOf of={key} />
    </>
  );
}

type ActionsProps = Pick<KeyListProps, 'roll' | 'limit' | 'disable'> & { readonly of: ApiKey };

function Actions({ of: key, roll, limit, disable }: ActionsProps) {
  const nameOf = `${key.name} ${maskOf(key)}`;
  return (
    <>
      {!isPast(key) && (
        <div class="row actions">
          {mayBeRolled(key) && (
            <button type="button" class="quiet" aria-label={`Roll ${nameOf}`} onClick={() => roll(key)}>
              Roll
            </button>
          )}
          {limit !== undefined && (
            <button type="button" class="quiet" aria-label={`Limits of ${nameOf}`} onClick={() => limit(key)}>
              Limits
            </button>
          )}
          <button type="button" class="danger" aria-label={`Disable ${nameOf}`} onClick={() => disable(key)}>
            Disable
          </button>
        </div>
      )}
      {key.disabledAt !== null && (
        <span class="muted small address">
          by {key.disabledBy ?? 'the platform team'}, <When at={key.disabledAt} />
        </span>
      )}
    </>
  );
}

function Standing({ of: { standing, mode } }: { readonly of: ApiKey }) {
  if (standing === 'disabled') return <span class="badge muted">Disabled</span>;
  if (standing === 'expired') return <span class="badge muted">Expired</span>;
  if (mode === null) return <span class="badge problem">Without a mode</span>;
  if (standing === 'owner-disabled') return <span class="badge warning">Owner disabled</span>;
  return <span class="badge good">Active</span>;
}
