/** Price and reach of the draft. */
import { BusyButton } from '../../../../../ui/busy-button.tsx';
import { useAmounts } from '../../../amounts.ts';
import type { Draft } from './draft.ts';
import type { Estimate } from './use-estimate.ts';

const counts = new Intl.NumberFormat('en-GB');

export function PricePanel({ estimate, draft }: { readonly estimate: Estimate; readonly draft: Draft }) {
  const { reply, problem } = estimate;
  return (
    <div class="estimate" aria-live="polite" aria-atomic="true" data-waiting={estimate.isOld}>
      {reply !== null && <Figures estimate={{ ...estimate, reply }} />}
      {reply === null && problem === null && (
        <p class="muted">
          {draft.latitude === ''
            ? 'Choose a place to see the price.'
            : 'The price appears here when place and time are complete.'}
        </p>
      )}
      {problem !== null && (
        <>
          <p>{problem}</p>
          <div>
            <BusyButton class="quiet" work={estimate.retry}>
              Try again
            </BusyButton>
          </div>
        </>
      )}
    </div>
  );
}

type FiguresProps = { readonly estimate: Estimate & { readonly reply: NonNullable<Estimate['reply']> } };

function Figures({ estimate: { reply, costMinor } }: FiguresProps) {
  const amount = useAmounts();
  const members = reply.matching_users;
  if (members === 0)
    return (
      <>
        <p class="figure">No members</p>
        <p>
          The offer would reach no members, so it cannot be created. Enlarge or move the circle, or remove
          genders and interests.
        </p>
      </>
    );
  return (
    <>
      <p class="figure">{costMinor === null ? 'No price' : amount(costMinor, reply.currency)}</p>
      <p>
        reaches <strong>{counts.format(members)}</strong> {members === 1 ? 'member' : 'members'}
      </p>
      {costMinor === null ? (
        <p>
          {reply.currency} cannot be billed at the moment, so no offer can be created. You were not charged.
        </p>
      ) : (
        <p class="muted small">
          {counts.format(reply.ad_units)} Ad Units at {reply.ad_unit_price} {reply.currency}, net of VAT.
          {reply.exchange_rate_date !== null &&
            ` Exchange rate of ${reply.exchange_rate_date}: ${reply.exchange_rate_per_gbp} ${reply.currency} per pound.`}
        </p>
      )}
    </>
  );
}
