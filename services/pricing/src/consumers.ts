/**
 * What pricing learns from others. Every change carries a version that decides, so repeats and any order are harmless and no event
 * id needs to be remembered.
 */
import { MemberChanged, MemberRemoved } from '@offer-ads/contracts/community-events';
import { CatalogueChanged } from '@offer-ads/contracts/offers-events';
import { on, onBatch } from '@offer-ads/platform/broker';
import type { Subscription } from '@offer-ads/platform/broker-messages';
import { Fault } from '@offer-ads/platform/faults';
import type { Logger } from '@offer-ads/platform/logging';
import type { Metrics } from '@offer-ads/platform/metrics';
import { keepTrying } from './growing-pauses.ts';
import type { InterestsStore } from './interests-store.ts';
import type { MemberChange, MembersStore } from './members-store.ts';

export function subscriptions(
  stores: {
    readonly members: MembersStore;
    readonly interests: Pick<InterestsStore, 'replace'>;
  },
  o: { readonly signal: AbortSignal; readonly logger: Logger; readonly metrics: Metrics },
): readonly Subscription[] {
  const outcomes = o.metrics.counter({
    name: 'member_changes_total',
    help: 'Changes of members that were heard of, by whether they were news',
    labelNames: ['outcome'],
    from0: { outcome: ['stored', 'outdated'] },
  });

  const waits = o.metrics.counter({
    name: 'member_changes_waiting_total',
    help: 'How often changes of members could not be stored because MongoDB was away, and went on waiting',
  });

  /**
   * A store that is away is no fault of what is to be stored, so that is not parked for it but held, with all that waits
   * behind it in the queue, until the store is back.
   */
  const patiently = <T>(work: () => Promise<T>): Promise<T> =>
    keepTrying(work, {
      signal: o.signal,
      isPassing: (error) => error instanceof Fault && error.status === 503,
      onFailure: (error) => {
        waits.inc();
        o.logger.warn({ error }, 'what is heard of members waits for MongoDB');
      },
    });

  const write = async (changes: readonly MemberChange[]) => {
    const changed = await patiently(() => stores.members.write(changes));
    outcomes.inc({ outcome: 'stored' }, changed);
    outcomes.inc({ outcome: 'outdated' }, changes.length - changed);
  };

  return [
    onBatch(MemberChanged, (events) =>
      write(events.map(({ data: { version, ...facts } }) => ({ facts, version }))),
    ),
    onBatch(MemberRemoved, (events) =>
      write(events.map(({ data: { memberId, version } }) => ({ removed: memberId, version }))),
    ),
    on(CatalogueChanged, ({ data, subjectVersion }) => {
      const active = data.interests
        .filter((interest) => interest.active)
        .map((interest) => interest.interestId);
      return patiently(() => stores.interests.replace({ version: subjectVersion, active }));
    }),
  ];
}
