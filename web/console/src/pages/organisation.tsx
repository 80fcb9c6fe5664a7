/** One organisation: facts, people, keys, quotas, balances, offers, and the actions on it. */
import type { OneOrganisation } from '@offer-ads/contracts/admin/gateway-api';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { useRoute } from 'preact-iso';
import { Notice } from '../../../ui/notice.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { ActionButton } from '../may.tsx';
import { OrganisationContact, OrganisationNotes } from '../organisations/contact-and-notes.tsx';
import { Identity } from '../organisations/identity.tsx';
import {
  OrganisationKeys,
  OrganisationPeople,
  OrganisationTerms,
} from '../organisations/organisation-parts.tsx';
import { OrganisationBalances, OrganisationOffers } from '../organisations/organisation-trade.tsx';
import { QuotaDialog } from '../organisations/quota-dialog.tsx';
import { type CloseWithMessage, ReasonDialog } from '../reason-dialog.tsx';
import { useRead } from '../session.ts';
import { useAction } from '../use-action.ts';
import { Standing } from './organisations.tsx';

export function Organisation() {
  const { id = '' } = useRoute().params;
  const found = useRead<OneOrganisation>(`/gateway/organisations/${id}`);
  return (
    <ConsolePage
      title={found.data?.name ?? `Organisation ${id}`}
      lead={
        <>
          <a href="/organisations">Organisations</a> / {id}
        </>
      }
    >
      <Loaded query={found} what="the organisation" lines={12}>
        {(organisation) => <Shown organisation={organisation} />}
      </Loaded>
    </ConsolePage>
  );
}

type Switch = 'disable' | 'enable' | 'approve' | 'withdraw-approval';

const switches = {
  disable: {
    title: (name: string) => `Disable ${name}?`,
    submit: 'Disable it',
    done: (name: string) => `${name} is disabled.`,
    effect:
      'All its keys stop working and its people are signed out, at once. Paid offers are still shown: disable them one by one if necessary.',
  },
  enable: {
    title: (name: string) => `Enable ${name}?`,
    submit: 'Enable it',
    done: (name: string) => `${name} is enabled.`,
    effect: 'Its people may sign in again, and its keys that have not expired work again.',
  },
  approve: {
    title: (name: string) => `Approve ${name}?`,
    submit: 'Approve it',
    done: (name: string) => `${name} is approved.`,
    effect:
      'From now on its prices count real members, and it may use LIVE mode. Its admins get a mail. Check first that it is who it says it is. What is not given, its admins can enter in the portal under Settings.',
  },
  'withdraw-approval': {
    title: (name: string) => `Withdraw the approval of ${name}?`,
    submit: 'Withdraw it',
    done: (name: string) => `The approval of ${name} is withdrawn.`,
    effect:
      'From now on nothing new can be bought in LIVE mode, and its prices count made-up members. Paid LIVE offers are still shown. Its people can read, pause, resume and delete them and fetch invoices.',
  },
} as const satisfies Record<Switch, object>;

function isSwitch(asking: string | null): asking is Switch {
  return asking !== null && Object.hasOwn(switches, asking);
}

function Shown({ organisation }: { readonly organisation: OneOrganisation }) {
  const { asking, done, begin, end } = useAction<Switch | Mode>();
  const { id, enabled, approval, withdrawal, quotas, billingDetails } = organisation;
  return (
    <>
      {done !== null && <Notice kind="good">{done}</Notice>}
      <section class="card" aria-labelledby="facts">
        <div class="row spread">
          <h2 id="facts">Organisation</h2>
          <div class="row">
            {approval === null ? (
              <ActionButton call="POST /gateway/organisations/:id/approve" onClick={() => begin('approve')}>
                Approve …
              </ActionButton>
            ) : (
              <ActionButton
                call="POST /gateway/organisations/:id/withdraw-approval"
                class="quiet"
                onClick={() => begin('withdraw-approval')}
              >
                Withdraw approval …
              </ActionButton>
            )}
            <ActionButton
              call={`POST /gateway/organisations/:id/${enabled ? 'disable' : 'enable'}`}
              class={enabled ? 'danger' : ''}
              onClick={() => begin(enabled ? 'disable' : 'enable')}
            >
              {enabled ? 'Disable …' : 'Enable …'}
            </ActionButton>
          </div>
        </div>
        <dl class="facts">
          <dt>State</dt>
          <dd>
            <Standing {...organisation} />
          </dd>
          <dt>Approved</dt>
          <dd>
            {withdrawal !== null ? (
              <>
                withdrawn <When at={withdrawal.at} />: {withdrawal.reason}
              </>
            ) : approval === null ? (
              'no: its prices count made-up members, and it has no LIVE mode'
            ) : (
              <>
                <When at={approval.at} /> by {approval.by}
              </>
            )}
          </dd>
          <Identity organisation={organisation} />
          <dt>Purchase order</dt>
          <dd>{billingDetails.purchaseOrder ?? '–'}</dd>
        </dl>
      </section>
      <OrganisationContact id={id} />
      <OrganisationNotes id={id} />
      <section class="card" aria-labelledby="quotas">
        <h2 id="quotas">Quotas</h2>
        <p class="small muted">The most offers that are neither deleted nor ended.</p>
        <Table
          rows={['TEST', 'LIVE'] as const}
          keyOf={(mode) => mode}
          columns={[
            { title: 'Mode', kind: 'name', cell: (mode) => mode },
            {
              title: 'Of the organisation',
              short: 'Organisation',
              numeric: true,
              cell: (mode) => quotas[mode].perOrganisation,
            },
            {
              title: 'Of each person',
              short: 'Each person',
              numeric: true,
              cell: (mode) => quotas[mode].perPerson,
            },
            {
              title: 'Change',
              kind: 'actions',
              cell: (mode) => (
                <div class="row actions">
                  <ActionButton
                    call="POST /gateway/organisations/:id/quota"
                    class="quiet"
                    onClick={() => begin(mode)}
                  >
                    Change {mode} quota …
                  </ActionButton>
                </div>
              ),
            },
          ]}
        />
      </section>
      <OrganisationBalances organisation={organisation} />
      <OrganisationOffers id={id} />
      <OrganisationPeople id={id} />
      <OrganisationKeys id={id} />
      <OrganisationTerms id={id} />
      {isSwitch(asking) && <SwitchDialog organisation={organisation} action={asking} close={end} />}
      {(asking === 'TEST' || asking === 'LIVE') && (
        <QuotaDialog organisationId={id} mode={asking} quota={quotas[asking]} close={end} />
      )}
    </>
  );
}

type SwitchDialogProps = {
  readonly organisation: OneOrganisation;
  readonly action: Switch;
  readonly close: CloseWithMessage;
};

function SwitchDialog({ organisation, action, close }: SwitchDialogProps) {
  const { id, name } = organisation;
  const { title, submit, effect, done } = switches[action];
  return (
    <ReasonDialog
      title={title(name)}
      submit={submit}
      ends={action === 'disable' || action === 'withdraw-approval'}
      advertiserReads={action === 'withdraw-approval'}
      act={(send) => send(`/gateway/organisations/${id}/${action}`)}
      done={() => done(name)}
      close={close}
    >
      <p>{effect}</p>
      {action === 'approve' && (
        <dl class="facts">
          <Identity organisation={organisation} />
        </dl>
      )}
    </ReasonDialog>
  );
}
