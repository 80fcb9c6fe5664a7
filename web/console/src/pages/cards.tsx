/** Problems at the card provider that need a person: refunds, disputes, payments that could not be applied. */
import type { CardProblemsReply } from '@offer-ads/contracts/admin/billing-api';
import { Notice } from '../../../ui/notice.tsx';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { ActionButton } from '../may.tsx';
import { Money } from '../money.tsx';
import { type CloseWithMessage, ReasonDialog } from '../reason-dialog.tsx';
import { useRead } from '../session.ts';
import { useAction } from '../use-action.ts';

type Reversal = CardProblemsReply['reversals'][number];

export function Cards() {
  const problems = useRead<CardProblemsReply>('/billing/card-problems?limit=100');
  return (
    <ConsolePage
      title="Card problems"
      lead="Refunds, disputes and payments at the card provider that need a decision"
    >
      <Loaded query={problems} what="card problems" lines={8}>
        {({ reversals, owed, payments }) => (
          <>
            <Reversals reversals={reversals} />
            <Owed owed={owed} />
            <Payments payments={payments} />
          </>
        )}
      </Loaded>
    </ConsolePage>
  );
}

function Reversals({ reversals }: { readonly reversals: readonly Reversal[] }) {
  const { asking: settling, done, begin, end } = useAction<Reversal>();
  return (
    <section class="card" aria-labelledby="reversals">
      <h2 id="reversals">Refunds and disputes</h2>
      {done !== null && <Notice kind="good">{done}</Notice>}
      {reversals.length === 0 ? (
        <Empty title="No refund and no dispute" />
      ) : (
        <Table
          rows={reversals}
          keyOf={(reversal) => reversal.id}
          columns={[
            {
              title: 'What',
              cell: (reversal) => (
                <>
                  {reversal.kind} <code class="hash">{reversal.id}</code>, {reversal.mode},{' '}
                  <When at={reversal.heardAt} />
                </>
              ),
            },
            {
              title: 'Amount',
              numeric: true,
              cell: (reversal) => <Money minor={reversal.amountMinor} currency={reversal.currency} />,
            },
            { title: 'Of', cell: (reversal) => <Whose {...reversal} /> },
            {
              title: 'State',
              cell: (reversal) => (
                <>
                  <span>
                    {reversal.status}
                    {reversal.reason !== null && <> ({reversal.reason})</>}
                    {!reversal.booked && <span class="badge warning">not booked</span>}
                  </span>
                </>
              ),
            },
            {
              title: 'Borne by',
              cell: (reversal) => <Settled reversal={reversal} settle={() => begin(reversal)} />,
            },
          ]}
        />
      )}
      {settling !== null && <SettleDialog reversal={settling} close={end} />}
    </section>
  );
}

function Settled({ reversal, settle }: { readonly reversal: Reversal; readonly settle: () => void }) {
  const { settlement, taken, returned, organisationId } = reversal;
  if (settlement !== null)
    return (
      <span>
        {settlement.borneBy === 'platform' ? 'the platform' : 'the balance'}, as {settlement.decidedBy}{' '}
        decided: {settlement.reason}
      </span>
    );
  if (!taken || returned || organisationId === null) return <span>nothing to decide</span>;
  return (
    <span>
      <ActionButton call="POST /billing/card-problems/settle" class="quiet" onClick={settle}>
        Decide …
      </ActionButton>
    </span>
  );
}

type SettleDialogProps = { readonly reversal: Reversal; readonly close: CloseWithMessage };

function SettleDialog({ reversal: { id, kind, amountMinor, currency }, close }: SettleDialogProps) {
  return (
    <ReasonDialog
      title={`Who bears the ${kind}?`}
      submit="Decide"
      act={(send, values) => send('/billing/card-problems/settle', { id, borneBy: values.get('borneBy') })}
      done={() => `It is decided who bears ${id}.`}
      close={close}
    >
      <p>
        <Money minor={amountMinor} currency={currency} /> went back to the payer. You can decide this only
        once.
      </p>
      <fieldset>
        <legend>Borne by</legend>
        <label class="choice">
          <input type="radio" name="borneBy" value="platform" required /> The platform
        </label>
        <label class="choice">
          <input type="radio" name="borneBy" value="balance" required /> The prepaid balance of the
          organisation
        </label>
      </fieldset>
    </ReasonDialog>
  );
}

function Owed({ owed }: { readonly owed: CardProblemsReply['owed'] }) {
  if (owed.length === 0) return null;
  return (
    <section class="card" aria-labelledby="owed">
      <h2 id="owed">Credits that are owed</h2>
      <p class="small muted">
        The Unused Time of these offers was credited, and their payment was taken back. Decide above who bears
        it.
      </p>
      <Table
        rows={owed}
        keyOf={({ offerId }) => offerId}
        columns={[
          {
            title: 'Offer',
            cell: ({ offerId, organisationId }) => (
              <Whose organisationId={organisationId} offerId={offerId} topUpId={null} groupId={null} />
            ),
          },
          {
            title: 'Mode',
            cell: ({ mode }) => mode,
          },
          {
            title: 'Credited',
            numeric: true,
            cell: ({ currency, creditedMinor }) => <Money minor={creditedMinor} currency={currency} />,
          },
          {
            title: 'Owed',
            numeric: true,
            cell: ({ currency, owedMinor }) => <Money minor={owedMinor} currency={currency} />,
          },
        ]}
      />
    </section>
  );
}

function Payments({ payments }: { readonly payments: CardProblemsReply['payments'] }) {
  return (
    <section class="card" aria-labelledby="payments">
      <h2 id="payments">Payments that fit nothing</h2>
      <p class="small muted">
        Money arrived that could not be applied. Look at the payment in the provider's dashboard, and refund
        it there if nobody bought anything with it.
      </p>
      {payments.length === 0 ? (
        <Empty title="Every payment was applied" />
      ) : (
        <Table
          rows={payments}
          keyOf={(payment) => payment.eventId}
          columns={[
            {
              title: 'Event',
              cell: (payment) => (
                <>
                  <code class="hash">{payment.eventId}</code>, {payment.mode}, <When at={payment.heardAt} />
                </>
              ),
            },
            {
              title: 'Amount',
              numeric: true,
              cell: (payment) => <Money minor={payment.amountMinor} currency={payment.currency} />,
            },
            { title: 'Of', cell: (payment) => <Whose organisationId={null} {...payment} /> },
            { title: 'Problem', cell: (payment) => payment.problem },
          ]}
        />
      )}
    </section>
  );
}

type WhoseProps = {
  readonly organisationId: number | null;
  readonly offerId: number | null;
  readonly topUpId: number | null;
  readonly groupId: number | null;
};

function Whose({ organisationId, offerId, topUpId, groupId }: WhoseProps) {
  return (
    <span>
      {offerId !== null && <a href={`/offers/${offerId}`}>offer {offerId}</a>}
      {topUpId !== null && <>top-up {topUpId}</>}
      {groupId !== null && <>offer group {groupId}</>}
      {offerId === null && topUpId === null && groupId === null && 'unknown'}
      {organisationId !== null && (
        <>
          , <a href={`/organisations/${organisationId}`}>organisation {organisationId}</a>
        </>
      )}
    </span>
  );
}
