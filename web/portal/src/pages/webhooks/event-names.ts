/** What the types of webhooks mean, in the order of the form. */
import type { EventType } from '@offer-ads/contracts/webhooks/webhook-types';

export const eventNames: Record<EventType, string> = {
  'offer.created': 'An offer was created',
  'offer.updated': 'An offer was edited',
  'offer.paid': 'An offer was paid',
  'offer.activated': 'A paid offer reached its start',
  'offer.paused': 'An offer was paused',
  'offer.resumed': 'An offer was resumed',
  'offer.disabled': 'The platform disabled an offer',
  'offer.enabled': 'The platform enabled an offer again',
  'offer.ended': 'An offer has ended',
  'offer.deleted': 'An offer was deleted',
  'balance.credited': 'Unused time was credited to the balance',
  'balance.topped_up': 'Money was added to the balance',
  'balance.low': 'The balance is low',
};

export function isEventType(text: unknown): text is EventType {
  return typeof text === 'string' && Object.hasOwn(eventNames, text);
}
