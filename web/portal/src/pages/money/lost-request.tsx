/** The notice for a money request without an answer, with a button to find out the outcome. */
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../../ui/busy-button.tsx';
import { Notice } from '../../../../ui/notice.tsx';
import { momentText } from '../../../../ui/time-text.ts';
import { useAmounts } from '../../amounts/amounts.ts';
import type { Asked, AskOnce } from './ask-once.ts';

type LostRequestProps<Body> = {
  readonly once: AskOnce<Body>;
  /** "of play money" */
  readonly of: string;
  /** Says why a repetition does no harm. */
  readonly promise: string;
  readonly done: (amountMinor: bigint, body: Body) => unknown;
};

export function LostRequest<Body>({ once, of, promise, done }: LostRequestProps<Body>) {
  const amount = useAmounts();
  const [refused, setRefused] = useState<string | null>(null);
  const { lost } = once;
  if (lost === null) return refused === null ? null : <Notice kind="problem">{refused}</Notice>;

  const findOut = async () => {
    const amountMinor = BigInt(lost.what);
    const asked: Asked<Body> = await once.ask(amountMinor);
    setRefused(asked.outcome === 'refused' ? asked.message : null);
    if (asked.outcome === 'done') await done(amountMinor, asked.body);
  };
  return (
    <div class="notice warning" role="alert">
      <p>
        You asked for {amount(lost.what)} {of} on {momentText(lost.sentAt)}, but no answer came. It is not
        known whether the request was carried out. {promise}
      </p>
      <div>
        <BusyButton class="quiet" work={findOut}>
          Find out
        </BusyButton>
      </div>
    </div>
  );
}
