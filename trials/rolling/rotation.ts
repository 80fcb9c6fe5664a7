/** The three steps of docs/operations/rotation.md, for every secret at once: whoever has one restarted meets neighbours who have not. */
import type { Secrets } from '@offer-ads/dev/start/secrets';

export type RotationStep = {
  readonly title: string;
  readonly secretsOf: (old: Secrets, fresh: Secrets) => Secrets;
};

export const rotationSteps: readonly RotationStep[] = [
  {
    title: 'old,new: all learn to accept the new secrets',
    secretsOf: (old, fresh) => ({ ...inThisOrder(old, fresh), ...keysOf(old), ...kept(old) }),
  },
  {
    title: 'new,old: all use the new secrets',
    secretsOf: (old, fresh) => ({ ...inThisOrder(fresh, old), ...keysOf(fresh), ...kept(old) }),
  },
  {
    title: 'new: the old secrets are worth nothing',
    secretsOf: (old, fresh) => ({ ...fresh, ...kept(old) }),
  },
];

/** What the card provider signs webhooks by from when its endpoint's secret was rolled, until the old one has run out. */
export function signedByBoth(old: Secrets, fresh: Secrets): Secrets {
  const { stripeTestWebhook, stripeLiveWebhook } = inThisOrder(old, fresh);
  return { ...old, stripeTestWebhook, stripeLiveWebhook };
}

function inThisOrder(first: Secrets, second: Secrets): Secrets {
  const both = Object.entries(first).map(([name, secret]) => [
    name,
    `${secret},${second[name as keyof Secrets]}`,
  ]);
  return Object.fromEntries(both) as Secrets;
}

/** It is not rotated. */
const kept = ({ countSteps }: Secrets): Pick<Secrets, 'countSteps'> => ({ countSteps });

/** Of the card provider's keys a process has one, and the provider knows both. */
function keysOf({ stripeTestKey, stripeLiveKey }: Secrets): Pick<Secrets, 'stripeTestKey' | 'stripeLiveKey'> {
  return { stripeTestKey, stripeLiveKey };
}
