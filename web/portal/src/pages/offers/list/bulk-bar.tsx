/** The commands for the chosen offers, and what became of each. */
import type { BulkReply, PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { BusyButton } from '../../../../../ui/busy-button.tsx';
import type { Report } from '../../../../../ui/outcome.tsx';
import { usePortal } from '../../../session.ts';
import { useOffersChanged } from '../offers-data.ts';
import { type BulkAction, type BulkOutcome, offersFor, outcomeOf } from './selection.ts';

type BulkBarProps = {
  readonly chosen: readonly PortalOffer[];
  readonly clear: () => void;
  readonly report: Report;
};

const words = { pause: 'Pause', resume: 'Resume' } as const;
/** The server allows itself 8 s. */
const TIMEOUT_MS = 12_000;

export function BulkBar({ chosen, clear, report }: BulkBarProps) {
  const { api, mode } = usePortal();
  const changed = useOffersChanged();
  const change = async (action: BulkAction) => {
    const offers = offersFor(chosen, action);
    const reply = await api.send<BulkReply>('POST', `/${mode}/offers/${action}`, {
      json: { offer_ids: offers.map(({ offer_id: id }) => id) },
      timeoutMs: TIMEOUT_MS,
    });
    await changed();
    clear();
    const outcome = reply.ok ? outcomeOf(offers, reply.body.results) : { done: 0, failed: [] };
    report(
      reply.ok && outcome.failed.length === 0,
      <BulkResult {...outcome} action={action} refusal={reply.ok ? null : reply.message} />,
    );
  };
  return (
    <div class="bulk-bar" role="group" aria-label="Chosen offers">
      <strong aria-live="polite">{chosen.length} chosen</strong>
      {(['pause', 'resume'] as const).map((action) => {
        const { length } = offersFor(chosen, action);
        return (
          length > 0 && (
            <BusyButton key={action} class="quiet" work={() => change(action)}>
              {words[action]} {length}
            </BusyButton>
          )
        );
      })}
      <button type="button" class="link" onClick={clear}>
        Choose none
      </button>
    </div>
  );
}

const past = { pause: 'paused', resume: 'resumed', delete: 'deleted' } as const;

type BulkResultProps = BulkOutcome & {
  readonly action: BulkAction | 'delete';
  /** Of the whole request; null unless nothing is known of any offer. */
  readonly refusal: string | null;
};

export function BulkResult({ action, done, failed, refusal }: BulkResultProps) {
  if (refusal !== null)
    return (
      <p>
        {refusal} The list shows which offers were {past[action]}.
      </p>
    );
  return (
    <>
      <p>
        {done === 1 ? 'One offer was' : `${done} offers were`} {past[action]}.
        {failed.length > 0 && ` ${failed.length === 1 ? 'One was' : `${failed.length} were`} not:`}
      </p>
      {failed.length > 0 && (
        <ul>
          {failed.map(({ title, message }, index) => (
            <li key={index}>
              <bdi>{title}</bdi>: {message}.
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
