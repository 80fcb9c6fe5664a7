/**
 * Consumers of other services' events. Every change contains a version that decides whether it applies, so repeats and any order are
 * harmless, and event ids need not be stored.
 */
import { MemberChanged, MemberRemoved } from '@offer-ads/contracts/events/community';
import { CatalogueChanged } from '@offer-ads/contracts/events/offers';
import { on, onBatch } from '@offer-ads/platform/messaging/broker/broker';
import type { Subscription } from '@offer-ads/platform/messaging/broker/messages';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { InterestsStore } from './members/interests-store.ts';
import type { MemberChange, MembersStore } from './members/members-store.ts';

export function subscriptions(
  stores: { readonly members: MembersStore; readonly interests: Pick<InterestsStore, 'replace'> },
  metrics: Metrics,
): readonly Subscription[] {
  const outcomes = metrics.counter({
    name: 'member_changes_total',
    help: 'Changes of members that were received, by whether they were newer than the stored state',
    labelNames: ['outcome'],
    from0: { outcome: ['stored', 'outdated'] },
  });

  const write = async (changes: readonly MemberChange[]) => {
    const changed = await stores.members.write(changes);
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
      const active = data.interests.flatMap((each) => (each.active ? [each.interestId] : []));
      return stores.interests.replace({ version: subjectVersion, active });
    }),
  ];
}
