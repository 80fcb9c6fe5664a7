/**
 * What pricing learns from others. Every change carries a version that decides inside the database, so repeats and any order
 * are harmless and no event id needs to be remembered.
 */
import { MemberChanged, MemberRemoved } from '@offer-ads/contracts/community-events';
import { CatalogueChanged } from '@offer-ads/contracts/offers-events';
import { on } from '@offer-ads/platform/broker';
import type { Subscription } from '@offer-ads/platform/broker-messages';
import type { InterestsStore } from './interests-store.ts';
import type { MembersStore } from './members-store.ts';

export function subscriptions(stores: {
  readonly members: MembersStore;
  readonly interests: Pick<InterestsStore, 'replace'>;
}): readonly Subscription[] {
  return [
    on(MemberChanged, ({ data: { version, ...facts } }) => stores.members.change({ facts, version })),
    on(MemberRemoved, ({ data: { memberId, version } }) => stores.members.remove(memberId, version)),
    on(CatalogueChanged, ({ data, subjectVersion }) => {
      const active = data.interests
        .filter((interest) => interest.active)
        .map((interest) => interest.interestId);
      return stores.interests.replace({ version: subjectVersion, active });
    }),
  ];
}
