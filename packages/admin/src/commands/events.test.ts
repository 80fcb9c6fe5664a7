import { describe, expect, it } from '@jest/globals';
import { adminUnderTest } from '../../test/admin-under-test.ts';

const { adminJson, received, replies } = adminUnderTest();

describe('parked events', () => {
  it('are listed for all services, and replayed in the one given', async () => {
    const parked = {
      id: 'e1',
      type: null,
      subject: null,
      reason: 'broken',
      attempts: 5,
      parkedAt: null,
      body: '{}',
    };
    replies['GET /admin/parked?limit=1000'] = { parked: [parked] };
    const services = ['offers', 'billing', 'pricing', 'notifier'];
    expect(await adminJson('events parked')).toEqual({
      status: 0,
      result: { parked: services.map((service) => Object.assign({ service }, parked)) },
    });
    replies['POST /admin/parked/replay'] = { replayed: 2 };
    expect(await adminJson('events replay --service billing --ids e1,e2')).toEqual({
      status: 0,
      result: { replayed: 2 },
    });
    expect(received.at(-1)?.body).toEqual({ ids: ['e1', 'e2'] });
  });

  it('are dropped only when their ids, or all, are given', async () => {
    replies['POST /admin/parked/drop'] = { dropped: 1 };
    expect(await adminJson('events drop')).toMatchObject({ status: 1 });
    expect(await adminJson('events drop --ids all')).toEqual({ status: 0, result: { dropped: 4 } });
  });
});
