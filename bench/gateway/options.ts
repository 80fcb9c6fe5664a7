/** The command line. */
import { parseArgs } from 'node:util';
import { WrongOption, wholeNumber } from '../command-line.ts';
import { type PeerName, peerNames } from './peers/peers.ts';

export type Options = {
  readonly rounds: number;
  readonly seconds: number;
  /** Before the first round: until V8 has compiled what is hot. */
  readonly firstWarmUpSeconds: number;
  readonly warmUpSeconds: number;
  readonly peers: readonly PeerName[];
  readonly write: boolean;
};

export const usage = `npm run bench:gateway -- [--rounds 5] [--seconds 10] [--quick] [--peers gateway,nginx,...] [--write]
  --quick   one round of 3 seconds: shows that everything works, measures nothing
  --peers   of ${peerNames.join(', ')}
  --write   puts the tables into bench/README.md`;

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      peers: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const peers = (values.peers ?? peerNames.join(',')).split(',');
  const unknown = peers.filter((name) => !(peerNames as readonly string[]).includes(name));
  if (unknown.length > 0) throw new WrongOption(`--peers does not know ${unknown.join(', ')}`);
  return {
    rounds: wholeNumber('rounds', values.rounds, values.quick ? 1 : 5),
    seconds: wholeNumber('seconds', values.seconds, values.quick ? 3 : 10),
    firstWarmUpSeconds: values.quick ? 2 : 15,
    warmUpSeconds: values.quick ? 1 : 3,
    peers: peers as PeerName[],
    write: values.write,
  };
}
