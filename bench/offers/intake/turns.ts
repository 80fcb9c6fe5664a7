/** Which traffic is measured, and who takes it in. */
import type { Traffic } from './events.ts';
import { type AtWork, type Stage, startBareSql, startOneByOne, startReplicas } from './peers.ts';

export const OFFERS = 1_000;
const VIEWERS = 20_000;

export type Turn = {
  readonly title: string;
  readonly views: number;
  readonly traffic: Traffic;
  /** Whether the views wait in the broker's queue before anybody takes them. */
  readonly queued: boolean;
  readonly start: (stage: Stage, turn: Turn) => Promise<AtWork>;
};

const spread: Traffic = { offers: OFFERS, viewers: undefined };
const hot: Traffic = { offers: 1, viewers: undefined };
const known = { viewers: VIEWERS };

export const isOurs = ({ title }: Turn): boolean => title.startsWith('offers');

export const oneByOneLike = ({ traffic }: Turn): string =>
  traffic.offers === 1 ? 'one by one, one hot offer' : 'one by one, 1,000 offers';

export function intakeTurns(quick: boolean): Turn[] {
  const [many, few] = quick ? [10_000, 1_000] : [100_000, 10_000];
  const ours = (title: string, traffic: Traffic, replicas = 1): Turn => ({
    title,
    views: many,
    traffic,
    queued: true,
    start: (stage) => startReplicas(stage, replicas),
  });
  const alone = (title: string, traffic: Traffic): Turn => ({
    title,
    views: few,
    traffic,
    queued: true,
    start: startOneByOne,
  });
  const bare = (title: string, traffic: Traffic): Turn => ({
    title,
    views: few,
    traffic,
    queued: false,
    start: (stage, turn) => startBareSql(stage, turn.views, turn.traffic),
  });
  return [
    ours('offers, 1,000 offers', spread),
    ours('offers, 1,000 offers, with viewers', { ...spread, ...known }),
    ours('offers, one hot offer', hot),
    ours('offers, one hot offer, with viewers', { ...hot, ...known }),
    ours('offers, two replicas, one hot offer, with viewers', { ...hot, ...known }, 2),
    alone('one by one, 1,000 offers', spread),
    alone('one by one, one hot offer', hot),
    bare('bare SQL, 1,000 offers', spread),
    bare('bare SQL, one hot offer', hot),
  ];
}
