/** Placement keys of the community platform, and offers that are shown too seldom. */
import type {
  IssuedPlacementKeyReply,
  PlacementKey,
  PlacementKeysReply,
} from '@offer-ads/contracts/admin/gateway-api';
import { useState } from 'preact/hooks';
import { Notice } from '../../../ui/notice.tsx';
import { ShownOnce } from '../../../ui/shown-once.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { ActionButton } from '../may.tsx';
import { Fairness } from '../placements/fairness.tsx';
import { CreateKey, DisableKey, LimitKey, RollKey } from '../placements/key-dialogs.tsx';
import { type KeyAction, KeyTable } from '../placements/key-table.tsx';
import { useRead } from '../session.ts';
import { useAction } from '../use-action.ts';

type Asking = { readonly action: 'create' } | { readonly action: KeyAction; readonly key: PlacementKey };

export function Placements() {
  const keys = useRead<PlacementKeysReply>('/gateway/placement-keys');
  const { asking, done, begin, end } = useAction<Asking>();
  /** Only this state holds the whole key; closing the dialog deletes it. */
  const [issued, setIssued] = useState<IssuedPlacementKeyReply | null>(null);
  const endIssuing = (reply: IssuedPlacementKeyReply | null) => {
    end(null);
    setIssued(reply);
  };
  return (
    <ConsolePage
      title="Placements"
      lead="With a placement key, the servers of the community platform ask which offers a member sees."
      actions={
        <ActionButton call="POST /gateway/placement-keys" onClick={() => begin({ action: 'create' })}>
          Create a key …
        </ActionButton>
      }
    >
      {done !== null && <Notice kind="good">{done}</Notice>}
      <section class="card" aria-labelledby="keys">
        <div class="row spread">
          <h2 id="keys">Placement keys</h2>
          <a href="/placements/calls">Calls of all keys</a>
        </div>
        <Loaded query={keys} what="placement keys" lines={6}>
          {(data) => <KeyTable keys={data.keys} begin={(action, key) => begin({ action, key })} />}
        </Loaded>
      </section>
      <Fairness />
      {asking?.action === 'create' && <CreateKey close={endIssuing} />}
      {asking?.action === 'roll' && <RollKey of={asking.key} close={endIssuing} />}
      {asking?.action === 'disable' && <DisableKey of={asking.key} close={end} />}
      {asking?.action === 'limit' && <LimitKey of={asking.key} close={end} />}
      {issued !== null && (
        <ShownOnce
          title={`The new ${issued.mode} placement key`}
          secret={issued.key}
          copyLabel="Copy the key"
          stored={() => setIssued(null)}
        >
          {issued.expiresAt !== null && (
            <p>
              It works until <When at={issued.expiresAt} />.
            </p>
          )}
        </ShownOnce>
      )}
    </ConsolePage>
  );
}
