/** The system that drills break. After `recover` nothing that a drill broke on purpose is broken any more. */
import type { DemoOrganisation } from '@offer-ads/dev/demo-data/organisations';
import { unusedAddress } from '../harness/advertiser.ts';
import { setFaults } from '../harness/simulators.ts';
import type { System } from '../harness/system.ts';
import { type Trade, tradeOf } from '../harness/trade.ts';
import { type BackgroundWork, createBackgroundWork } from './faults/background-work.ts';
import { type OpenLocks, openLocks } from './faults/open-locks.ts';

type Call = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type DrillSystem = System &
  BackgroundWork & {
    readonly organisation: DemoOrganisation;
    readonly trade: Trade;
    readonly locks: OpenLocks;
    /** Calls the public API. Each call has a client address of its own, so that it meets no limit. */
    readonly call: (path: string, init?: Call) => Promise<Response>;
    /** Switches faults of a simulator on; `{}` switches them off. */
    readonly simulate: (simulator: 'stripe' | 'rates' | 'mail', faults: object) => Promise<void>;
    readonly recover: () => Promise<void>;
  };

export function drillSystemOn(system: System): DrillSystem {
  const [organisation] = system.state().organisations;
  if (organisation === undefined) throw new Error('there is no organisation to work with');
  const simulate: DrillSystem['simulate'] = (simulator, faults) => setFaults(system, simulator, faults);
  const backgroundWork = createBackgroundWork();
  const locks = openLocks(system.stores);
  return {
    ...system,
    ...backgroundWork,
    organisation,
    trade: tradeOf(system),
    locks,
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
      await backgroundWork.stopRepeating();
      await locks.release();
      for (const link of Object.values(system.links)) link.bringBack();
      await system.startAll();
      await Promise.all([simulate('stripe', {}), simulate('rates', {}), simulate('mail', {})]);
    },
  };
}
