/** Status and code of a call; a refused call links to its entry in the guide. */
import type { CallsReply } from '@offer-ads/contracts/portal/organisation-api';
import { guideTo, heedOf } from './call-meaning.ts';

export function Result({ of: call }: { readonly of: CallsReply['calls'][number] }) {
  const text = `${call.status}${call.returnCode === null ? '' : ` ${call.returnCode}`}`;
  const badge = <span class={`badge ${heedOf(call)}`}>{text}</span>;
  const guide = guideTo(call);
  if (call.status === 499) return <span title="The caller disconnected before the reply">{badge}</span>;
  if (guide === null) return badge;
  return (
    <a href={guide} aria-label={`${text}: what it means`}>
      {badge}
    </a>
  );
}
