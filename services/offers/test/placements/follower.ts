/** A follower of the events of offers by the rules of docs/guides-community/events.md: it takes them in any order and any number of times. */

type Fact = { readonly version: number; readonly holds: boolean };
type Followed = {
  content: Readonly<Record<string, unknown>> | null;
  contentVersion: number;
  activated: boolean;
  paused: Fact;
  disabled: Fact;
  isGone: boolean;
};
export type FollowedEvent = {
  readonly type: string;
  readonly subject: string;
  readonly subjectversion: number;
  readonly data: Readonly<Record<string, unknown>>;
};

const never: Fact = { version: 0, holds: false };

export class Follower {
  private readonly offers = new Map<string, Followed>();

  take({ type, subject, subjectversion: version, data }: FollowedEvent): void {
    const offer = this.offers.get(subject) ?? {
      content: null,
      contentVersion: 0,
      activated: false,
      paused: never,
      disabled: never,
      isGone: false,
    };
    this.offers.set(subject, offer);
    const note = (fact: 'paused' | 'disabled', holds: boolean) => {
      if (version > offer[fact].version) offer[fact] = { version, holds };
    };
    const noteContent = () => {
      if (version > offer.contentVersion) Object.assign(offer, { content: data, contentVersion: version });
    };
    switch (type.split('.').at(-2) ?? '') {
      case 'OfferCreated':
      case 'OfferUpdated':
        return noteContent();
      case 'OfferState':
        noteContent();
        offer.activated ||= data.activated === true;
        note('paused', data.pausedAt !== null);
        note('disabled', data.disabledAt !== null);
        return;
      case 'OfferActivated':
        offer.activated = true;
        return;
      case 'OfferPaused':
      case 'OfferResumed':
        return note('paused', type.includes('Paused'));
      case 'OfferDisabled':
      case 'OfferEnabled':
        return note('disabled', type.includes('Disabled'));
      case 'OfferEnded':
      case 'OfferDeleted':
        offer.isGone = true;
    }
  }

  /** The titles of all offers of the mode that are not gone, and whether members see them. */
  known(mode: string): Record<string, { title: unknown; isShown: boolean }> {
    const known = [...this.offers]
      .filter(([, { content, isGone }]) => !isGone && content?.mode === mode)
      .map(([subject, { content, activated, paused, disabled }]) => {
        const isShown = activated && !paused.holds && !disabled.holds;
        return [subject, { title: content?.title, isShown }] as const;
      });
    return Object.fromEntries(known.toSorted(([a], [b]) => a.localeCompare(b)));
  }
}
