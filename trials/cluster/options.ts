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
export type PartName = (typeof partNames)[number];

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
};

export const usage = `npm run cluster -- [options]: deploys the overlay dev to a cluster, and disturbs it under load

  --load 'kind load docker-image {}'  puts an image into the cluster; without it the images are there already
  --kubectl 'kubectl --context kind'  how the cluster is reached (kubectl)
  --replicas 2                        of each service (2)
  --advertisers 3                     that buy at the same time (3)
  --parts ${partNames.join(',')}
                                      which, in this order (all; drain needs two nodes, release needs --next)
  --next TAG                          of the same images of another release, to which release goes and back
  --deploy no                         uses what is deployed already (yes)

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
    },
  });
  if (!['yes', 'no'].includes(values.deploy)) throw new Error('--deploy must be yes or no');
  if (values.load !== undefined && !values.load.includes('{}'))
    throw new Error('--load must contain {} in place of the image');
  return {
    kubectl: values.kubectl.split(' ').filter(Boolean),
    load: values.load,
    replicas: wholeNumber('replicas', values.replicas, 1, 5),
    advertisers: wholeNumber('advertisers', values.advertisers, 1, 20),
    parts: namesOf('parts', values.parts, partNames),
    deploy: values.deploy === 'yes',
    next: values.next,
  };
}
