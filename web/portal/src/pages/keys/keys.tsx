/** Manage API Keys (specification, Authentication items 2 to 4 and 9). */
import type { ApiKey, IssuedKeyReply, KeysReply } from '@offer-ads/contracts/portal/organisation-api';
import type { KeyRights } from '@offer-ads/contracts/values/key-rights';
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Confirm } from '../../../../ui/confirm.tsx';
import { useOutcome } from '../../../../ui/outcome.tsx';
import { Loaded } from '../../../../ui/states.tsx';
import { PortalPage } from '../../portal-page.tsx';
import { usePortal, useRead } from '../../session.ts';
import { IssuedKey } from './issued-key.tsx';
import { KeyList } from './key-list.tsx';
import { ChangeRights } from './key-rights.tsx';
import { maskOf } from './listed-keys.ts';
import { NewKey } from './new-key.tsx';

type Open =
  | { readonly step: 'create' }
  | { readonly step: 'roll' | 'limit' | 'disable'; readonly key: ApiKey }
  | { readonly step: 'issued'; readonly issued: IssuedKeyReply; readonly name: string };

export function Keys() {
  const { api, may, mode, session } = usePortal();
  const queries = useQueryClient();
  // Keys of both modes; the page shows those of its mode.
  const queryKey = [session.organisation.id, 'keys'];
  const keys = useRead<KeysReply>(queryKey, '/keys');
  /** Only this state holds the whole key; closing the dialog deletes it. */
  const [open, setOpen] = useState<Open | null>(null);
  const { outcome, report } = useOutcome();
  const close = () => setOpen(null);
  const changed = () => queries.invalidateQueries({ queryKey });

  const roll = async (key: ApiKey) => {
    const reply = await api.send<IssuedKeyReply>('POST', `/keys/${key.id}/roll`);
    // A refusal also shows that the list is out of date.
    void changed();
    if (!reply.ok) return reply;
    setOpen({ step: 'issued', issued: reply.body, name: key.name });
    return undefined;
  };
  const limit = async (key: ApiKey, rights: KeyRights) => {
    const reply = await api.send('PATCH', `/keys/${key.id}/rights`, { json: rights });
    void changed();
    if (!reply.ok) return reply;
    report(true, `The limits of ${key.name} (${maskOf(key)}) are changed.`);
    setOpen(null);
    return undefined;
  };
  const disable = async (key: ApiKey) => {
    const reply = await api.send('POST', `/keys/${key.id}/disable`);
    void changed();
    if (!reply.ok) return reply;
    report(true, `${key.name} (${maskOf(key)}) is disabled and has stopped working.`);
    setOpen(null);
    return undefined;
  };

  return (
    <PortalPage
      title="API keys"
      lead={`A key works in one mode: these are for ${mode.toUpperCase()}.`}
      actions={
        <button type="button" onClick={() => setOpen({ step: 'create' })}>
          Create a key
        </button>
      }
    >
      {outcome}
      <Loaded query={keys} what="keys" lines={6}>
        {(data) => (
          <KeyList
            keys={data.keys}
            roll={(key) => setOpen({ step: 'roll', key })}
            limit={may('key-rights') ? (key) => setOpen({ step: 'limit', key }) : undefined}
            disable={(key) => setOpen({ step: 'disable', key })}
          />
        )}
      </Loaded>
      {open?.step === 'create' && (
        <NewKey
          close={close}
          made={(issued, name) => {
            void changed();
            setOpen({ step: 'issued', issued, name });
          }}
        />
      )}
      {open?.step === 'roll' && (
        <Confirm
          title={`Roll ${open.key.name}?`}
          submit="Roll the key"
          act={() => roll(open.key)}
          close={close}
        >
          <p>
            <code>{maskOf(open.key)}</code> stops working at once, for everything that uses it. The new key
            has the same name, expiry and limits, and is shown once. You become its owner: it stops working
            when you are disabled.
          </p>
        </Confirm>
      )}
      {open?.step === 'limit' && (
        <ChangeRights of={open.key} change={(rights) => limit(open.key, rights)} close={close} />
      )}
      {open?.step === 'disable' && (
        <Confirm
          title={`Disable ${open.key.name}?`}
          submit="Disable the key"
          act={() => disable(open.key)}
          close={close}
        >
          <p>
            <code>{maskOf(open.key)}</code> stops working at once and for ever. Offers that were created with
            it continue.
          </p>
        </Confirm>
      )}
      {open?.step === 'issued' && <IssuedKey issued={open.issued} name={open.name} stored={close} />}
    </PortalPage>
  );
}
