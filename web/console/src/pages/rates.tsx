/** The exchange rates in use, and the decision about a fixing that jumps. */
import type { RatesReply } from '@offer-ads/contracts/admin/pricing-api';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../ui/busy-button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { ActionButton } from '../may.tsx';
import { ReasonDialog } from '../reason-dialog.tsx';
import { useConsole, useRead } from '../session.ts';

export function Rates() {
  const rates = useRead<RatesReply>('/pricing/rates');
  const { send } = useConsole();
  const [said, setSaid] = useState<{ kind: 'good' | 'problem'; words: string } | null>(null);
  // Stored while the dialog is open, because another person may accept it meanwhile.
  const [accepting, setAccepting] = useState<Jump | null>(null);
  const refresh = async () => {
    setSaid(null);
    const reply = await send<{ date: string }>('/pricing/rates/refresh');
    if (reply.ok) setSaid({ kind: 'good', words: `The fixing of ${reply.body.date} is in use.` });
    // A jump is shown below, with its button.
    else if (reply.status !== 409) setSaid({ kind: 'problem', words: reply.message });
    await rates.refetch();
  };
  return (
    <ConsolePage
      title="Exchange rates"
      lead="The European Central Bank's reference rates, used for prices in all currencies except pounds"
      actions={
        <BusyButton class="quiet" work={refresh}>
          Ask the bank now
        </BusyButton>
      }
    >
      {said?.kind === 'good' && <Notice kind="good">{said.words}</Notice>}
      {said?.kind === 'problem' && <Notice kind="problem">{said.words}</Notice>}
      <Loaded query={rates} what="rates" lines={10}>
        {(data) => (
          <Shown
            rates={data}
            accept={(jump) => {
              setSaid(null);
              setAccepting(jump);
            }}
          />
        )}
      </Loaded>
      {accepting !== null && (
        <ReasonDialog
          title={`Accept the fixing of ${accepting.date}?`}
          submit="Accept it"
          act={(send) => send('/pricing/rates/refresh', { acceptJump: accepting.date })}
          done={() => `The fixing of ${accepting.date} is in use.`}
          close={(words) => {
            setAccepting(null);
            if (words !== null) setSaid({ kind: 'good', words });
          }}
        >
          <p>Prices in {namesOf(accepting)} use it at once.</p>
        </ReasonDialog>
      )}
    </ConsolePage>
  );
}

type Refusal = NonNullable<RatesReply['refused']>;
type Jump = NonNullable<Refusal['jump']>;

type ShownProps = { readonly rates: RatesReply; readonly accept: (jump: Jump) => void };

function Shown({ rates: { date, missingFixings, outOfDate, perGbp, refused }, accept }: ShownProps) {
  return (
    <>
      {refused !== null && <Refused refused={refused} accept={accept} />}
      <section class="card" aria-labelledby="in-use">
        <div class="row spread">
          <h2 id="in-use">In use</h2>
          <span class={`badge ${outOfDate ? 'problem' : 'good'}`}>
            {outOfDate ? 'out of date' : 'current'}
          </span>
        </div>
        <p>
          {date === null ? 'There are no rates: only pounds can be billed.' : `The fixing of ${date}.`}
          {missingFixings > 0 &&
            date !== null &&
            ` ${missingFixings} later ${missingFixings === 1 ? 'fixing is' : 'fixings are'} missing.`}
        </p>
        <Table
          rows={perGbp}
          keyOf={({ currency }) => currency}
          caption="Value of one pound in each billed currency"
          narrow
          columns={[
            { title: 'Currency', cell: ({ currency }) => currency },
            { title: 'For a pound', numeric: true, cell: ({ rate }) => rate ?? 'cannot be billed' },
          ]}
        />
      </section>
    </>
  );
}

function namesOf({ currencies }: Jump): string {
  return currencies.map(({ currency }) => currency).join(', ');
}

type RefusedProps = { readonly refused: Refusal; readonly accept: ShownProps['accept'] };

function Refused({ refused: { at, problem, jump }, accept }: RefusedProps) {
  return (
    <section class="card" aria-labelledby="refused">
      <h2 id="refused">Not taken</h2>
      <Notice kind="warning">
        <p>
          {jump === null ? problem : `${namesOf(jump)} moved by more than 20 % from the last good fixing`} (
          <When at={at} />)
        </p>
      </Notice>
      {jump !== null && (
        <>
          <p>
            No currency normally moves by a fifth from one fixing to the next. Compare the rates with another
            source. The last good rates stay in use until somebody accepts this fixing.
          </p>
          <Table
            rows={jump.currencies}
            keyOf={({ currency }) => currency}
            narrow
            columns={[
              { title: 'Currency', cell: ({ currency }) => currency },
              {
                title: 'Last good, for a euro',
                numeric: true,
                cell: ({ lastPerEuro }) => lastPerEuro ?? '–',
              },
              {
                title: `In the fixing of ${jump.date}`,
                numeric: true,
                cell: ({ perEuro }) => perEuro,
              },
            ]}
          />
          <div>
            <ActionButton call="POST /pricing/rates/refresh" class="danger" onClick={() => accept(jump)}>
              Accept the fixing of {jump.date} …
            </ActionButton>
          </div>
        </>
      )}
    </section>
  );
}
