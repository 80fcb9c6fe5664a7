/** Which traffic is measured. */
import type { Traffic } from './events.ts';

export const OFFERS = 1_000;
const VIEWERS = 20_000;

export type Turn = {
  readonly title: string;
  readonly views: number;
  readonly traffic: Traffic;
  readonly replicas: number;
};

const spread: Traffic = { offers: OFFERS, viewers: undefined };
const hot: Traffic = { offers: 1, viewers: undefined };
const known = { viewers: VIEWERS };

export function intakeTurns(quick: boolean): Turn[] {
  const views = quick ? 2_000 : 100_000;
  const turns = [
    { title: '1,000 offers', views, traffic: spread, replicas: 1 },
    { title: '1,000 offers, with viewers', views, traffic: { ...spread, ...known }, replicas: 1 },
    { title: 'one hot offer', views, traffic: hot, replicas: 1 },
    { title: 'one hot offer, with viewers', views, traffic: { ...hot, ...known }, replicas: 1 },
    {
      title: 'one hot offer, with viewers, two replicas',
      views,
      traffic: { ...hot, ...known },
      replicas: 2,
    },
  ];
  // The last one has all that the others have.
  return quick ? turns.slice(-1) : turns;
}
