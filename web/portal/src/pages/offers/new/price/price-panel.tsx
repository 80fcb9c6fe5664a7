/** Price and reach of the draft: always in sight. */

import { BusyButton } from '../../../../../../ui/busy-button.tsx';
import { hasVatOnCard } from '../../../../amounts/amount-fields.ts';
import { useAmounts, useFigures } from '../../../../amounts/amounts.ts';
import { usePortal } from '../../../../session.ts';
import type { Estimate } from './use-estimate.ts';

export function PricePanel({ estimate }: { readonly estimate: Estimate }) {
  const { reply, problem, missing, isAsking } = estimate;
  return (
    <div class="estimate" aria-live="polite" aria-atomic="true" data-waiting={estimate.isOld}>
      {reply !== null && <Figures estimate={{ ...estimate, reply }} />}
      {reply === null && problem === null && (
        <p class="muted">
          {missing ?? (isAsking ? 'Asking for the price …' : 'Correct the marked field to see the price.')}
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

const HOURS_OF_1000_MEMBER_DAYS = 24_000;

/** "7 days", "1.5 days", "8 hours" */
function timeText(hours: number): string {
  const [count, unit] = hours < 24 ? [hours, 'hour'] : [hours / 24, 'day'];
  const rounded = Math.round(count * 10) / 10;
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`;
}

type FiguresProps = { readonly estimate: Estimate & { readonly reply: NonNullable<Estimate['reply']> } };

function Figures({ estimate: { reply, costMinor } }: FiguresProps) {
  const amount = useAmounts();
  const { countText, unitPriceText } = useFigures();
  const { country } = usePortal().session.organisation;
  const members = reply.matching_users;
  const count = reply.places?.length ?? 1;
  const empty = reply.places?.filter((place) => place.matching_users === 0).length ?? 0;
  if (members === 0)
    return (
      <>
        <p class="figure">No members</p>
        <p class="reach">No members match. Enlarge or move the circle, or remove genders and interests.</p>
      </>
    );
  return (
    <>
      <p class="figure">{costMinor === null ? 'No price' : amount(costMinor, reply.currency)}</p>
      <p class="reach">
        reaches <strong>{countText(members)}</strong> {members === 1 ? 'member' : 'members'}
        {count > 1 && ` at ${count} places`}
      </p>
      {empty > 0 && (
        <p class="fault">
          {empty === 1 ? 'One place has' : `${empty} places have`} no members. Move{' '}
          {empty === 1 ? 'it' : 'them'}, enlarge the radius, or remove {empty === 1 ? 'it' : 'them'}.
        </p>
      )}
      {costMinor === null ? (
        <p class="why">
          {reply.currency} cannot be billed at the moment, so no offer can be created. You were not charged.
        </p>
      ) : (
        <p class="why muted small">
          {countText(members)} {members === 1 ? 'member' : 'members'} × {timeText(reply.ad_units / members)}
          {reply.ad_unit_price !== null &&
            `, ${reply.currency} ${unitPriceText(reply.ad_unit_price * HOURS_OF_1000_MEMBER_DAYS)} per 1,000 members a day`}
          {hasVatOnCard(country) && ', without VAT'}.
          {reply.exchange_rate_date !== null &&
            reply.exchange_rate_per_gbp !== null &&
            ` Exchange rate of ${reply.exchange_rate_date}: ${unitPriceText(reply.exchange_rate_per_gbp)} ${reply.currency} per pound.`}
        </p>
      )}
    </>
  );
}
