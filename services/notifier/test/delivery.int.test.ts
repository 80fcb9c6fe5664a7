import { afterEach, describe, expect, it } from '@jest/globals';
import { testClock } from '@offer-ads/testing/clock';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { runs } from '@offer-ads/testing/profile';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { aMail, manyMails, setUpDelivery } from './delivery-under-test.ts';
import { cornerCafe } from './events.ts';

const minute = 60_000;
const hour = 60 * minute;

const test = forAllTests(() => setUpDelivery());
afterEach(() => test.reset());

/** Later than the time of the database, which mails are stored with. */
const soon = () => new Date(Date.now() + minute);
const states = async () => (await test.documents()).map(({ state }) => state);
const noneUnderWay = () => eventually(async () => expect(await states()).not.toContain('sending'));
const recipients = () => test.smtp.taken.map(({ recipient }) => recipient);

const patient = { timeoutMs: 40_000 };

/** Each exactly once, and each recorded. */
async function expectAllSentOnce(count: number): Promise<void> {
  await eventually(async () => expect(new Set(await states())).toEqual(new Set(['sent'])), patient);
  expect(test.smtp.taken).toHaveLength(count);
  expect(new Set(test.smtp.taken.map(({ messageId }) => messageId)).size).toBe(count);
}

describe('a mail server that is down', () => {
  it('for an hour costs no mail an attempt, and gets every mail once when it is back', async () => {
    const clock = testClock(soon());
    await test.takeDown();
    await test.put(...manyMails(200));
    const delivery = await test.deliver({ clock, storeClock: clock });
    for (let passed = 0; passed < 60; passed += 1) {
      delivery.wake();
      clock.advance(minute);
    }
    await eventually(async () =>
      expect((await test.documents()).filter(({ problem }) => problem !== undefined)).not.toEqual([]),
    );
    await test.bringBack();
    await eventually(async () => {
      clock.advance(minute);
      delivery.wake();
      expect(new Set(await states())).toEqual(new Set(['sent']));
    }, patient);
    await expectAllSentOnce(200);
    expect((await test.documents()).map(({ attempts }) => attempts)).toEqual(manyMails(200).map(() => 1));
  });

  it('is tried with one mail at a time, however many wait', async () => {
    const clock = testClock(soon());
    test.smtp.behave((step) => (step === 'connect' ? '554 5.3.2 Not now' : undefined));
    await test.put(...manyMails(50));
    const delivery = await test.deliver({ clock, storeClock: clock });
    await eventually(() => expect(test.smtp.reached('connect')).toBeGreaterThan(0));
    await noneUnderWay();
    const first = test.smtp.reached('connect');
    expect(first).toBeLessThanOrEqual(4);
    for (let tries = 1; tries <= 5; tries += 1) {
      clock.advance(minute);
      delivery.wake();
      await eventually(() => expect(test.smtp.reached('connect')).toBe(first + tries));
      // The pause begins when the process has received the answer.
      await noneUnderWay();
    }
    expect((await test.documents()).map(({ attempts }) => attempts)).toEqual(manyMails(50).map(() => 0));
  });

  it('is found to be back although another mail still waits for its answer', async () => {
    const clock = testClock(soon());
    const answer = Promise.withResolvers<string>();
    test.smtp.behave((step, turn) => (step === 'content' && turn === 1 ? answer.promise : undefined));
    await test.put(aMail(1));
    const delivery = await test.deliver({ clock, storeClock: clock });
    await eventually(() => expect(test.smtp.reached('content')).toBe(1));
    test.smtp.behave((step) => (step === 'connect' ? '421 4.3.2 Not now' : undefined));
    await test.put(aMail(2));
    delivery.wake();
    await eventually(async () => expect((await test.documents())[1]?.problem).toBeDefined());
    test.smtp.behave(() => undefined);
    await eventually(async () => {
      clock.advance(minute);
      delivery.wake();
      expect(await states()).toEqual(['sending', 'sent']);
    });
    answer.resolve('250 2.0.0 Ok');
    await expectAllSentOnce(2);
  });

  it('or throttles pauses all mails together', async () => {
    const clock = testClock(soon());
    test.smtp.behave((step) => (step === 'MAIL' ? '421 4.7.0 Too many mails' : undefined));
    await test.put(...manyMails(50));
    const delivery = await test.deliver({ clock, storeClock: clock });
    await eventually(() => expect(test.smtp.reached('MAIL')).toBeGreaterThan(0));
    await noneUnderWay();
    expect(test.smtp.reached('MAIL')).toBeLessThanOrEqual(4);
    test.smtp.behave(() => undefined);
    await eventually(async () => {
      clock.advance(minute);
      delivery.wake();
      expect(new Set(await states())).toEqual(new Set(['sent']));
    }, patient);
    await expectAllSentOnce(50);
  });
});

describe('a mail', () => {
  it('whose connection breaks after its content and before the answer is sent again, with the same Message-ID', async () => {
    test.smtp.behave((step, turn) => (step === 'content' && turn === 1 ? 'cut' : undefined));
    await test.put(aMail(1));
    await test.deliver();
    await eventually(async () => expect(await states()).toEqual(['sent']));
    expect(test.smtp.taken).toHaveLength(2);
    expect(new Set(test.smtp.taken.map(({ messageId }) => messageId)).size).toBe(1);
    const [document] = await test.documents();
    expect(document?.history).toMatchObject([{ state: 'pending', uncertain: true }, { state: 'sent' }]);
  });

  it('that is refused for now is tried again later, and delays no other mail', async () => {
    const clock = testClock(soon());
    test.smtp.behave((step, _turn, recipient) =>
      step === 'RCPT' && recipient === 'reader-1@cafe.example' ? '450 4.2.0 Greylisted' : undefined,
    );
    await test.put(...manyMails(10));
    const delivery = await test.deliver({ clock, storeClock: clock });
    await eventually(() => expect(test.smtp.taken).toHaveLength(9));
    await eventually(async () =>
      expect((await states()).toSorted()).toEqual(['pending', ...manyMails(9).map(() => 'sent')]),
    );
    test.smtp.behave(() => undefined);
    clock.advance(minute);
    delivery.wake();
    await expectAllSentOnce(10);
  });

  it('that is refused for ever is parked with the reason, and delays no other mail', async () => {
    test.smtp.behave((step, _turn, recipient) =>
      step === 'content' && recipient === 'reader-1@cafe.example' ? '550 5.7.1 Spam' : undefined,
    );
    await test.put(...manyMails(3));
    await test.deliver();
    await eventually(async () => expect((await states()).toSorted()).toEqual(['failed', 'sent', 'sent']));
    const failed = (await test.documents()).find(({ state }) => state === 'failed');
    expect(failed).toMatchObject({ problem: expect.stringContaining('550 5.7.1 Spam'), attempts: 1 });
  });

  it('that breaks every connection is tried less and less often, and the others are sent', async () => {
    const clock = testClock(soon());
    test.smtp.behave((step, _turn, recipient) =>
      step === 'RCPT' && recipient === 'reader-1@cafe.example' ? 'cut' : undefined,
    );
    await test.put(...manyMails(20));
    const delivery = await test.deliver({ clock, storeClock: clock });
    await eventually(async () => {
      clock.advance(1_000);
      delivery.wake();
      expect((await states()).filter((state) => state === 'sent')).toHaveLength(19);
    });
    expect(['pending', 'sending']).toContain((await test.documents())[0]?.state);
  });

  it('whose message is missing delays no other mail', async () => {
    await test.put(...manyMails(2));
    await test.collection().updateOne({ _id: aMail(1).id }, { $unset: { message: '' } });
    await test.deliver();
    await eventually(async () => expect(await states()).toEqual(['pending', 'sent']));
  });

  it('with a link is sent before all others that are due', async () => {
    const link = aMail(100, { expiresAt: new Date(Date.now() + hour).toISOString() });
    await test.put(...manyMails(40));
    await test.put(link);
    await test.deliver({ connections: 1 });
    await eventually(() => expect(recipients().length).toBeGreaterThan(0));
    expect(recipients()[0]).toBe(link.recipient);
  });

  it('with a link expires by the clock of the database, not by that of the process', async () => {
    const expiresAt = new Date(Date.now() + hour).toISOString();
    await test.put(aMail(1, { expiresAt }));
    await test.deliver({ clock: testClock(new Date(Date.now() + 5 * hour)) });
    await expectAllSentOnce(1);
  });

  it('with an expired link is parked without the link, also while the mail server is down', async () => {
    const clock = testClock(soon());
    await test.takeDown();
    const expiresAt = new Date(clock.now().getTime() + 15 * minute).toISOString();
    const link = aMail(1, { expiresAt });
    await test.put(
      { ...link, message: { ...link.message, text: 'https://ads.example/sign-in#secret' } },
      aMail(2),
    );
    await test.deliver({ clock, storeClock: clock, upkeepEveryMs: 50 });
    await eventually(async () => expect((await test.documents()).some(({ problem }) => problem)).toBe(true));
    clock.advance(15 * minute);
    await eventually(async () => expect(await states()).toEqual(['failed', 'pending']));
    expect(JSON.stringify(await test.documents())).not.toContain('secret');
    await test.bringBack();
  });
});

describe('an address that does not exist', () => {
  const refuseMailbox = () =>
    test.smtp.behave((step) => (step === 'RCPT' ? '550 5.1.1 Nobody here' : undefined));
  const ann = 'Ann@cafe.example';

  it('gets no mail for a day, and the reason is recorded', async () => {
    const clock = testClock(soon());
    refuseMailbox();
    await test.put(aMail(1, { recipient: ann }));
    const delivery = await test.deliver({ clock, storeClock: clock });
    await eventually(async () => expect(await states()).toEqual(['failed']));
    await test.put(aMail(2, { recipient: 'ann@CAFE.example' }));
    delivery.wake();
    await eventually(async () => expect(await states()).toEqual(['failed', 'suppressed']));
    expect((await test.documents())[1]).toMatchObject({
      problem: expect.stringMatching(/^the address does not exist: .*550 5\.1\.1 Nobody here/),
      attempts: 0,
    });
    expect(test.smtp.reached('RCPT')).toBe(1);
    test.smtp.behave(() => undefined);
    clock.advance(24 * hour);
    await test.put(aMail(3, { recipient: ann }));
    delivery.wake();
    await eventually(async () => expect(await states()).toEqual(['failed', 'suppressed', 'sent']));
  });

  it('is paused for longer after a second refusal; refusals of mails sent at the same time count once', async () => {
    const clock = testClock(soon());
    refuseMailbox();
    await test.put(...[1, 2, 3].map((number) => aMail(number, { recipient: ann })));
    const delivery = await test.deliver({ clock, storeClock: clock });
    await eventually(async () => expect(await states()).toEqual(['failed', 'failed', 'failed']));
    const refusals = async () => (await test.bounces()).map((bounce) => bounce.refusals);
    expect(await refusals()).toEqual([1]);
    clock.advance(25 * hour);
    await test.put(aMail(4, { recipient: ann }));
    delivery.wake();
    await eventually(async () => expect(await refusals()).toEqual([2]));
  });

  it('still gets links that somebody has just asked for, and all mails again once a link was accepted', async () => {
    refuseMailbox();
    await test.put(aMail(1, { recipient: ann }));
    const delivery = await test.deliver();
    await eventually(async () => expect(await states()).toEqual(['failed']));
    test.smtp.behave(() => undefined);
    const expiresAt = new Date(Date.now() + hour).toISOString();
    await test.put(aMail(2, { recipient: ann, expiresAt }));
    delivery.wake();
    await eventually(async () => expect(await states()).toEqual(['failed', 'sent']));
    await test.put(aMail(3, { recipient: ann }));
    delivery.wake();
    await eventually(async () => expect(await states()).toEqual(['failed', 'sent', 'sent']));
  });
});

describe('a person who has left the organisation', () => {
  const withoutAnn = { ...cornerCafe, people: cornerCafe.people.filter(({ personId }) => personId !== 1) };
  const inAnHour = () => new Date(Date.now() + hour).toISOString();

  it('gets no mail that was being sent at that moment and was put off, while the others get theirs', async () => {
    const clock = testClock(soon());
    test.smtp.behave((step) => (step === 'RCPT' ? '450 4.2.0 Greylisted' : undefined));
    await test.learn(cornerCafe);
    const recipients = ['ann@cafe.example', 'Bob@cafe.example'];
    await test.put(...recipients.map((recipient, index) => aMail(index + 1, { recipient })));
    const delivery = await test.deliver({ clock, storeClock: clock });
    await eventually(() => expect(test.smtp.reached('RCPT')).toBe(2));
    await noneUnderWay();
    await test.learn(withoutAnn);
    test.smtp.behave(() => undefined);
    clock.advance(minute);
    delivery.wake();
    await eventually(async () => expect(await states()).toEqual(['failed', 'sent']));
    expect((await test.documents())[0]?.problem).toMatch(/^withdrawn: no person of the organisation/);
  });

  it('still gets a link that was asked for with this address', async () => {
    await test.learn(withoutAnn);
    await test.learn(withoutAnn);
    await test.put(aMail(1, { recipient: 'ann@cafe.example', expiresAt: inAnHour() }));
    await test.deliver();
    await expectAllSentOnce(1);
  });
});

describe('several processes', () => {
  it('share the work and send no mail twice, although their clocks differ by hours', async () => {
    const count = runs(120, 1_000);
    await test.put(...manyMails(count));
    const clocks = [0, 5, -5].map((hoursAhead) => testClock(new Date(Date.now() + hoursAhead * hour)));
    await Promise.all(clocks.map((clock) => test.deliver({ clock })));
    await expectAllSentOnce(count);
  });

  it('that claim at the same moment get different mails', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => test.store()));
    for (let round = 0; round < runs(10, 100); round += 1) {
      await test.collection().deleteMany({});
      await test.put(...manyMails(12));
      const claims = await Promise.all(
        stores.map((store) => store.claim({ atMost: 12, takeOver: true, held: [] })),
      );
      const claimed = claims.flatMap((claim) => claim.claimed).map(({ id }) => id);
      expect(claimed).toHaveLength(new Set(claimed).size);
      expect(claimed).toHaveLength(12);
    }
  });

  it('leave a mail to the process that is sending it, however long that takes', async () => {
    const answer = Promise.withResolvers<string>();
    test.smtp.behave((step) => (step === 'content' ? answer.promise : undefined));
    await test.put(aMail(1));
    const bearer = await test.deliver({ upkeepEveryMs: 50 });
    await eventually(() => expect(test.smtp.reached('content')).toBe(1));
    await using other = await test.deliver();
    const leaseEnd = async () => (await test.documents())[0]?.dueAt.getTime() ?? 0;
    const before = await leaseEnd();
    await eventually(async () => expect(await leaseEnd()).toBeGreaterThan(before));
    // The other process has looked for mails to take over.
    const looksBefore = await other.runs();
    other.wake();
    await eventually(async () => expect(await other.runs()).toBeGreaterThan(looksBefore + 1));
    answer.resolve('250 2.0.0 Ok');
    await expectAllSentOnce(1);
    await bearer[Symbol.asyncDispose]();
  });

  it('take the mails of a dead process over once its lease has ended', async () => {
    await test.put(aMail(1));
    await test.collection().updateMany({}, [
      {
        $set: {
          state: 'sending',
          lease: 'of one that died',
          claimedAt: '$$NOW',
          dueAt: { $add: ['$$NOW', hour] },
        },
      },
    ]);
    const delivery = await test.deliver();
    delivery.wake();
    await test.put(aMail(2));
    delivery.wake();
    await eventually(() => expect(recipients()).toEqual(['reader-2@cafe.example']));
    await test.collection().updateMany({ state: 'sending' }, [{ $set: { dueAt: '$$NOW' } }]);
    delivery.wake();
    await expectAllSentOnce(2);
  });
});

it.each([
  [10, 4, 12, 800],
  // Fewer mails a second than connections.
  [4, 12, 8, 1_000],
])(
  'a process stays within the rate of the mail provider: %d a second',
  async (perSecond, connections, count, ms) => {
    await test.put(...manyMails(count));
    const startedAt = Date.now();
    await test.deliver({ perSecond, connections });
    await expectAllSentOnce(count);
    // Four begin in each interval, and timers may be some milliseconds early.
    expect(Math.max(...test.smtp.taken.map(({ at }) => at)) - startedAt).toBeGreaterThanOrEqual(ms - 20);
  },
);

describe('a database that is away', () => {
  it('when the server accepted a mail is waited for, so that no process sends the mail again', async () => {
    await using proxy = await startTcpProxy(test.mongoUrl);
    await using othersProxy = await startTcpProxy(test.mongoUrl);
    const answer = Promise.withResolvers<string>();
    test.smtp.behave((step) => (step === 'content' ? answer.promise : undefined));
    await test.put(aMail(1));
    const bearer = await test.deliver({ mongoUrl: proxy.url });
    await eventually(() => expect(test.smtp.reached('content')).toBe(1));
    const other = await test.deliver({ mongoUrl: othersProxy.url });
    for (const way of [proxy, othersProxy]) way.takeDown();
    // The lease ends meanwhile.
    await test.collection().updateMany({}, [{ $set: { dueAt: '$$NOW' } }]);
    answer.resolve('250 2.0.0 Ok');
    await eventually(() => {
      expect(bearer.log.join()).toContain('could not be recorded');
      // Its claims, not only its upkeep.
      expect(other.log.some((line) => /"loop":"delivery",.*repeated work failed/.test(line))).toBe(true);
    });
    // The process that reaches the database first leaves the other one time.
    othersProxy.bringBack();
    const before = await other.runs();
    await eventually(async () => expect(await other.runs()).toBeGreaterThan(before + 1));
    expect(await states()).toEqual(['sending']);
    proxy.bringBack();
    await expectAllSentOnce(1);
  });
});
