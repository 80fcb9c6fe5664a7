/** The command line of `npm run bench:gateway`. */
import { readOptions as readUsualOptions, wholeNumber } from '../command-line.ts';
import { type PeerName, peerNames } from './peers/peers.ts';

export type Options = {
  readonly rounds: number;
  readonly seconds: number;
  /** Before the first round, until V8 has compiled what runs often. */
  readonly firstWarmUpSeconds: number;
  readonly warmUpSeconds: number;
  readonly peers: readonly PeerName[];
  /** How many processes of each of our gateways take turns, because starts of one state differ. */
  readonly starts: number;
  /** How many API keys the peer with many keys uses. */
  readonly keysInUse: number;
  /** Only shows that everything works, so a machine that is too slow for the rate does not make a run invalid. */
  readonly quick: boolean;
  readonly write: boolean;
};

export const usage = `npm run bench:gateway -- [--rounds 5] [--seconds 10] [--quick] [--peers gateway,nginx,...] [--starts 2] [--write]
  --quick   one round of 3 seconds: shows that everything works, measures nothing
  --peers   of ${peerNames.join(', ')}
  --starts  how many processes of each of our gateways take turns
  --write   puts the tables into bench/README.md`;

export function readOptions(args: string[]): Options {
  const { quick, chosen, others, ...usual } = readUsualOptions(args, {
    rounds: 5,
    seconds: [10, 3],
    choice: ['peers', peerNames],
    others: ['starts'],
  });
  return {
    ...usual,
    quick,
    peers: chosen,
    starts: wholeNumber('starts', others['starts'], quick ? 1 : 2),
    keysInUse: quick ? 100_000 : 1_000_000,
    firstWarmUpSeconds: quick ? 2 : 15,
    warmUpSeconds: quick ? 1 : 3,
  };
}
