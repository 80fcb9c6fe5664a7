/** The system that drills break. Whatever a drill leaves broken is whole again after `recover`. */
import { freePorts } from '@offer-ads/backing/free-port';
import type { DemoOrganisation } from '@offer-ads/dev/demo-data/organisations';
import { unusedAddress } from '../harness/advertiser.ts';
import { setFaults } from '../harness/simulators.ts';
import { type System, type SystemOptions, startSystem } from '../harness/system.ts';
import { cleanFolder } from './clean-folder.ts';
import { type Doing, doing } from './faults/keep-doing.ts';
import { type OpenLocks, openLocks } from './faults/open-locks.ts';

type Call = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type DrillSystem = System &
  Doing & {
    readonly organisation: DemoOrganisation;
    readonly locks: OpenLocks;
    /** Of moderation. */
    readonly inspectorPort: number;
    /** A call of the public API, from a client address of its own unless one is given, so that no limit is met. */
    readonly call: (path: string, init?: Call) => Promise<Response>;
    /** Of a simulator: switches its faults on, or with `{}` off. */
    readonly simulate: (simulator: 'stripe' | 'rates' | 'mail', faults: object) => Promise<void>;
    /** Everything that was broken on purpose is whole again. */
    readonly recover: () => Promise<void>;
  };

export async function startDrillSystem(o: Omit<SystemOptions, 'prepare'>): Promise<DrillSystem> {
  await using starting = new AsyncDisposableStack();
  const [inspectorPort] = (await freePorts(1)) as [number];
  const system = starting.use(
    await startSystem({ ...o, prepare: cleanFolder, inspect: { moderation: inspectorPort } }),
  );
  const [organisation] = system.state().organisations;
  if (organisation === undefined) throw new Error('there is no organisation to work with');
  const simulate: DrillSystem['simulate'] = (simulator, faults) => setFaults(system, simulator, faults);
  const keeping = doing();
  const locks = openLocks(system.stores);
  starting.defer(() => locks.release());
  starting.defer(() => keeping.stopDoing());

  const done = starting.move();
  return {
    ...system,
    ...keeping,
    organisation,
    locks,
    inspectorPort,
    call: (path, init) =>
      fetch(`${system.addresses.gateway}${path}`, {
        signal: AbortSignal.timeout(30_000),
        ...init,
        headers: {
          'x-api-key': organisation.keys.TEST,
          'x-forwarded-for': unusedAddress(),
          ...init?.headers,
        },
      }),
    simulate,
    recover: async () => {
      await keeping.stopDoing();
      await locks.release();
      for (const link of Object.values(system.links)) link.bringBack();
      await system.startAll();
      await Promise.all([simulate('stripe', {}), simulate('rates', {}), simulate('mail', {})]);
    },
    [Symbol.asyncDispose]: () => done.disposeAsync(),
  };
}
