/** Sets the quota of offers of an organisation in a mode. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { InputField } from '../../../ui/field.tsx';
import { textOf } from '../../../ui/form.tsx';
import { type CloseWithMessage, ReasonDialog } from '../reason-dialog.tsx';

type QuotaDialogProps = {
  readonly organisationId: number;
  readonly mode: Mode;
  readonly quota: { readonly perOrganisation: number; readonly perPerson: number };
  readonly close: CloseWithMessage;
};

export function QuotaDialog({ organisationId, mode, quota, close }: QuotaDialogProps) {
  const limit = (name: keyof typeof quota, label: string) => (
    <InputField
      label={label}
      name={name}
      type="number"
      inputmode="numeric"
      min={0}
      max={1_000_000}
      step={1}
      defaultValue={String(quota[name])}
      required
    />
  );
  return (
    <ReasonDialog
      title={`Change the ${mode} quota`}
      submit="Change it"
      act={(send, values) =>
        send(`/gateway/organisations/${organisationId}/quota`, {
          mode,
          perOrganisation: Number(textOf(values, 'perOrganisation')),
          perPerson: Number(textOf(values, 'perPerson')),
        })
      }
      done={() => `The ${mode} quota is changed.`}
      close={close}
    >
      <p>Offers that are there already stay, also beyond the new quota; only new ones are refused.</p>
      {limit('perOrganisation', 'Offers of the organisation')}
      {limit('perPerson', 'Offers of each person')}
    </ReasonDialog>
  );
}
