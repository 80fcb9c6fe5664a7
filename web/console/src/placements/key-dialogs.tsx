/** The dialogs that create and change placement keys. */
import type { IssuedPlacementKeyReply, PlacementKey } from '@offer-ads/contracts/admin/gateway-api';
import type { ComponentChildren } from 'preact';
import { InputField, Options, SelectField } from '../../../ui/field.tsx';
import { textOf } from '../../../ui/form.tsx';
import { dayText, endOfDay } from '../../../ui/time-text.ts';
import { type CloseWithMessage, ReasonDialog } from '../reason-dialog.tsx';
import { maskOf } from './standing.ts';

/** A thousand requests a second, as the gateway's own default. */
const DEFAULT_PER_MINUTE = 60_000;
const HIGHEST_PER_MINUTE = 1_000_000;

function LimitField({ perMinute }: { readonly perMinute: number }) {
  return (
    <InputField
      label="Requests a minute"
      name="perMinute"
      type="number"
      inputmode="numeric"
      min={1}
      max={HIGHEST_PER_MINUTE}
      step={1}
      defaultValue={String(perMinute)}
      required
    />
  );
}

type IssuingProps = {
  /** Null: no key was made. */
  readonly close: (issued: IssuedPlacementKeyReply | null) => void;
};

/** A dialog that makes a key. */
function IssuingDialog(o: {
  readonly title: string;
  readonly submit: string;
  readonly path: string;
  readonly bodyOf: (values: FormData) => object;
  readonly close: IssuingProps['close'];
  readonly children: ComponentChildren;
}) {
  return (
    <ReasonDialog
      title={o.title}
      submit={o.submit}
      act={async (send, values) => {
        const reply = await send<IssuedPlacementKeyReply>(o.path, o.bodyOf(values));
        if (reply.ok || reply.status !== 0) return reply;
        return {
          ...reply,
          message: `${reply.message} The key may have been created nevertheless. Check the list and disable a key that nobody has stored.`,
        };
      }}
      done={(issued) => issued}
      close={o.close}
    >
      {o.children}
    </ReasonDialog>
  );
}

export function CreateKey({ close }: IssuingProps) {
  return (
    <IssuingDialog
      title="Create a placement key"
      submit="Create the key"
      path="/gateway/placement-keys"
      bodyOf={(values) => ({
        mode: textOf(values, 'mode'),
        name: textOf(values, 'name'),
        expiresAt: endOfDay(textOf(values, 'lastDay'))?.toISOString() ?? null,
        requestsPerMinute: Number(textOf(values, 'perMinute')),
      })}
      close={close}
    >
      <SelectField
        label="Mode"
        hint="A key shows offers of its mode only. TEST offers are for tests by developers."
        name="mode"
      >
        <option value="TEST">TEST</option>
        <option value="LIVE">LIVE</option>
      </SelectField>
      <InputField
        label="Name"
        hint="For example the servers that use it: main site."
        name="name"
        maxLength={100}
        autocomplete="off"
        required
      />
      <InputField
        label="Last day (optional)"
        hint="The key stops working at the end of this day. Leave it empty for a key that does not expire."
        name="lastDay"
        type="date"
        min={dayText(new Date())}
      />
      <LimitField perMinute={DEFAULT_PER_MINUTE} />
    </IssuingDialog>
  );
}

/** In hours: how long the old key works beside the new one. */
const overlaps = [
  [24, 'for one more day'],
  [1, 'for one more hour'],
  [168, 'for one more week'],
  [0, 'not any more: it stops at once'],
] as const;

type KeyDialogProps = { readonly of: PlacementKey };

export function RollKey({ of: key, close }: KeyDialogProps & IssuingProps) {
  return (
    <IssuingDialog
      title={`Roll ${key.name}?`}
      submit="Roll the key"
      path={`/gateway/placement-keys/${key.id}/roll`}
      bodyOf={(values) => ({ overlapHours: Number(textOf(values, 'overlap')) })}
      close={close}
    >
      <p>The new key has the same name, mode, expiry and limit, and is shown once.</p>
      <SelectField
        label="The old key works"
        hint="Until all servers of the community platform have the new key. If somebody else may know the old key, stop it at once."
        name="overlap"
      >
        <Options of={overlaps} />
      </SelectField>
    </IssuingDialog>
  );
}

type ChangeProps = KeyDialogProps & { readonly close: CloseWithMessage };

export function DisableKey({ of: key, close }: ChangeProps) {
  return (
    <ReasonDialog
      title={`Disable ${key.name}?`}
      submit="Disable the key"
      ends
      act={(send) => send(`/gateway/placement-keys/${key.id}/disable`)}
      done={() => `${key.name} (${maskOf(key)}) has stopped working.`}
      close={close}
    >
      <p>
        <code>{maskOf(key)}</code> stops working at once and for ever. Pages of servers that use it show no
        offers any more.
      </p>
    </ReasonDialog>
  );
}

export function LimitKey({ of: key, close }: ChangeProps) {
  return (
    <ReasonDialog
      title={`Change the limit of ${key.name}`}
      submit="Change it"
      act={(send, values) =>
        send(`/gateway/placement-keys/${key.id}/limit`, {
          requestsPerMinute: Number(textOf(values, 'perMinute')),
        })
      }
      done={() => `The limit of ${key.name} is changed.`}
      close={close}
    >
      <LimitField perMinute={key.requestsPerMinute} />
    </ReasonDialog>
  );
}
