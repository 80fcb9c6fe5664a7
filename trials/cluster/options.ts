/** The command line of `npm run cluster`. */
import { parseArgs } from 'node:util';
import { namesOf, wholeNumber } from '@offer-ads/dev/command-line';

export const partNames = [
  'rolling',
  'kills',
  'stores',
  'everything',
  'drain',
  'jobs',
  'release',
  'policies',
] as const;
/** Only by name, because they need more than a cluster, or take long. */
export const faultNames = ['memory', 'clock', 'network', 'disk'] as const;
export type PartName = (typeof partNames)[number] | (typeof faultNames)[number];

export type Options = {
  /** The program and its first arguments. */
  readonly kubectl: readonly string[];
  /** A command of the shell for each image, with `{}` in place of its name. */
  readonly load: string | undefined;
  readonly replicas: number;
  readonly advertisers: number;
  readonly parts: readonly PartName[];
  readonly deploy: boolean;
  /** The tag of the images of another release, for the part `release`. */
  readonly next: string | undefined;
  /** The least number of requests in the part `rolling`. */
  readonly requests: number;
  /** Commands of the shell, and a file, by which faults are caused. */
  readonly network: string | undefined;
  readonly disk: string | undefined;
  readonly faketime: string | undefined;
};

export const usage = `npm run cluster -- [options]: deploys the overlay dev to a cluster, and disturbs it under load

  --load 'kind load docker-image {}'  puts an image into the cluster; without it the images are there already
  --kubectl 'kubectl --context kind'  how the cluster is reached (kubectl)
  --replicas 2                        of each service (2)
  --advertisers 3                     that buy at the same time (3)
  --parts ${partNames.join(',')}
                                      which, in this order (these; drain needs two nodes, release needs --next)
          ${faultNames.join(',')}
                                      faults, only when they are named
  --requests 10000                    rolling goes on until the load has sent so many (0)
  --next TAG                          of the same images of another release, to which release goes and back
  --network CMD, --disk CMD           for network and disk: called with "break", and with "mend" a minute later
  --faketime FILE                     for clock: libfaketimeMT.so.1
  --deploy no                         uses what is deployed already (yes)

Where this machine is the only node: trials/cluster/node-faults.sh (see there) is what --network and --disk call.

The cluster must have no namespace offer-ads-dev yet, unless --deploy no is given. Images: npm run images.`;

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      load: { type: 'string' },
      kubectl: { type: 'string', default: 'kubectl' },
      replicas: { type: 'string', default: '2' },
      advertisers: { type: 'string', default: '3' },
      parts: { type: 'string', default: partNames.join() },
      deploy: { type: 'string', default: 'yes' },
      next: { type: 'string' },
      requests: { type: 'string', default: '0' },
      network: { type: 'string' },
      disk: { type: 'string' },
      faketime: { type: 'string' },
    },
  });
  if (!['yes', 'no'].includes(values.deploy)) throw new Error('--deploy must be yes or no');
  if (values.load !== undefined && !values.load.includes('{}'))
    throw new Error('--load must contain {} in place of the image');
  const parts = namesOf('parts', values.parts, [...partNames, ...faultNames]);
  for (const [part, option] of [
    ['network', 'network'],
    ['disk', 'disk'],
    ['clock', 'faketime'],
  ] as const)
    if (parts.includes(part) && values[option] === undefined)
      throw new Error(`the part ${part} needs --${option}`);
  return {
    kubectl: values.kubectl.split(' ').filter(Boolean),
    load: values.load,
    replicas: wholeNumber('replicas', values.replicas, 1, 5),
    advertisers: wholeNumber('advertisers', values.advertisers, 1, 20),
    parts,
    deploy: values.deploy === 'yes',
    next: values.next,
    requests: wholeNumber('requests', values.requests, 0, 100_000),
    network: values.network,
    disk: values.disk,
    faketime: values.faketime,
  };
}
