/** The next steps, by role and state of the organisation. They block nothing: every page can be opened before. */
import type { Permission } from '@offer-ads/contracts/portal/session-api';
import type { Mode } from '../../portal.ts';

/** The known facts; undefined while loading, or if the role may not read them. */
export type Facts = {
  readonly mode: Mode;
  readonly may: (permission: Permission) => boolean;
  readonly termsAccepted: boolean | undefined;
  /** When new terms begin to hold, in words; null: there are none to accept. */
  readonly termsDue: string | null;
  readonly balanceMinor: bigint | undefined;
  readonly keysInForce: number | undefined;
  readonly hasOffers: boolean | undefined;
  readonly people: number | undefined;
};

export type Step = {
  readonly title: string;
  readonly why: string;
  readonly done: boolean;
  /** A page of the portal. */
  readonly page: string;
  /** The text of the link. */
  readonly action: string;
  /** Not needed for offers: it is not asked for any more once there are some. */
  readonly isOptional?: true;
};

export function stepsOf(facts: Facts): readonly Step[] {
  const { may } = facts;
  return [
    ...(may('offers') || may('keys')
      ? known(facts.termsAccepted, (accepted) => terms(accepted, facts.termsDue, may('terms')))
      : []),
    ...(may('billing') ? known(facts.balanceMinor, (held) => topUp(held > 0n, facts.mode)) : []),
    ...(may('offers') ? known(facts.hasOffers, (has) => offer(has, facts.mode)) : []),
    ...(may('keys') ? known(facts.keysInForce, (keys) => key(keys > 0, facts.mode)) : []),
    ...(may('people') ? known(facts.people, (people) => invite(people > 1)) : []),
  ];
}

function known<T>(fact: T | undefined, step: (fact: T) => Step): Step[] {
  return fact === undefined ? [] : [step(fact)];
}

function terms(isAccepted: boolean, due: string | null, mayAccept: boolean): Step {
  const done = isAccepted && due === null;
  if (isAccepted && due !== null)
    return {
      title: 'Accept the new advertising terms',
      why: `From ${due} on, no offer can be created until an admin of your organisation has accepted them.`,
      done,
      page: 'terms',
      action: mayAccept ? 'Read and accept' : 'Read them',
    };
  return {
    title: 'Accept the advertising terms',
    why: mayAccept
      ? 'You can create offers after the latest version is accepted.'
      : 'An admin of your organisation must accept them before you can create offers.',
    done,
    page: 'terms',
    action: mayAccept && !done ? 'Read and accept' : 'Read them',
  };
}

function topUp(done: boolean, mode: Mode): Step {
  return {
    title: mode === 'test' ? 'Add play money' : 'Top up the balance',
    why:
      mode === 'test'
        ? 'TEST offers are paid from a balance of play money, or with a test card.'
        : 'You can then pay offers from the balance. You can still pay each offer by card instead.',
    done,
    page: 'money',
    action: mode === 'test' ? 'Add play money' : 'Top up',
    isOptional: true,
  };
}

function offer(done: boolean, mode: Mode): Step {
  return {
    title: 'Create an offer',
    why:
      mode === 'test'
        ? 'The form shows the price while you choose the place. In TEST mode no member sees the offer.'
        : 'The form shows the price while you choose the place.',
    done,
    page: 'offers/new',
    action: 'Create an offer',
  };
}

function key(done: boolean, mode: Mode): Step {
  return {
    title: `Create a ${mode.toUpperCase()} API key`,
    why: 'Only for programs of your own that create offers or read their views and clicks. It is shown once, with a command to try it.',
    done,
    page: 'keys',
    action: 'Create a key',
    isOptional: true,
  };
}

function invite(done: boolean): Step {
  return {
    title: 'Invite colleagues',
    why: 'Developers manage API keys, marketers manage offers. You can skip this step if you work alone.',
    done,
    page: 'people',
    action: 'Invite people',
    isOptional: true,
  };
}
