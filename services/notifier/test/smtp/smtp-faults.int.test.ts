import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Mailer, openMailer } from '../../src/smtp/mailer.ts';
import { aMail } from '../delivery-under-test.ts';
import { type FaultySmtp, type Step, startFaultySmtp } from './faulty-smtp.ts';

const mail = aMail(17);

let smtp: FaultySmtp;
beforeEach(async () => {
  smtp = await startFaultySmtp();
});
afterEach(async () => {
  await smtp[Symbol.asyncDispose]();
});

function open(patience: { untilContentMs?: number; contentMs?: number } = {}) {
  const smtpUrl = smtp.url.replace('smtp://', 'smtp://user:password@');
  return openMailer({ smtpUrl, from: 'Offers <offers@ads.example>', connections: 1, ...patience });
}

const failsAt = (step: Step, how: string) => smtp.behave((at) => (at === step ? how : undefined));

const unavailable = { outcome: 'unavailable' };
const slowDown = { outcome: 'deferred', slowDown: true, uncertain: false };
const later = { outcome: 'deferred', slowDown: false, uncertain: false };
const refused = { outcome: 'refused', unknownMailbox: false };
const unknownMailbox = { outcome: 'refused', unknownMailbox: true };

describe('a fault at', () => {
  it.each<readonly [Step, string, object]>([
    ['connect', '421 4.3.2 Not now', unavailable],
    ['connect', 'cut', unavailable],
    ['connect', 'silence', unavailable],
    ['EHLO', '421 4.3.2 Not now', unavailable],
    ['EHLO', 'cut', unavailable],
    ['EHLO', 'silence', unavailable],
    ['AUTH', '454 4.7.0 Not now', unavailable],
    ['AUTH', '535 5.7.8 Wrong password', unavailable],
    ['AUTH', 'cut', unavailable],
    ['AUTH', 'silence', unavailable],
    ['MAIL', '421 4.7.0 Slow down', slowDown],
    ['MAIL', '550 5.7.1 Sender refused', slowDown],
    ['MAIL', 'cut', slowDown],
    ['MAIL', 'silence', slowDown],
    ['RCPT', '421 4.7.0 Slow down', slowDown],
    ['RCPT', '450 4.2.0 Greylisted', later],
    ['RCPT', '550 5.1.1 Nobody here', unknownMailbox],
    ['RCPT', 'cut', slowDown],
    ['RCPT', 'silence', slowDown],
    ['DATA', '451 4.7.1 Later', later],
    ['DATA', '554 5.5.0 Refused', refused],
    ['DATA', 'cut', slowDown],
    ['DATA', 'silence', slowDown],
    ['content', '451 4.7.1 Later', later],
    ['content', '550 5.7.1 Spam', refused],
    ['content', 'cut', { outcome: 'deferred', slowDown: true, uncertain: true }],
    ['content', 'silence', { outcome: 'deferred', slowDown: true, uncertain: true }],
  ])('%s, "%s", leaves a mail that can be sent afterwards', async (step, how, expected) => {
    await using mailer = how === 'silence' ? await impatientAt(step) : open();
    const takenBefore = smtp.taken.length;
    failsAt(step, how);
    expect(await attemptAt(step, mailer)).toMatchObject(expected);
    const takenWithoutAnswer = how === 'cut' && step === 'content' ? 1 : 0;
    expect(smtp.taken).toHaveLength(takenBefore + takenWithoutAnswer);
    smtp.behave(() => undefined);
    await using patient = open();
    expect(await patient.send(mail)).toEqual({ outcome: 'accepted', reply: '250 2.0.0 Ok: queued' });
    expect(smtp.taken).toHaveLength(takenBefore + takenWithoutAnswer + 1);
    expect(new Set(smtp.taken.map(({ messageId }) => messageId)).size).toBe(1);
  });
});

/** Tries until an attempt reached the step: on a slow machine a short deadline may end an attempt earlier. */
function attemptAt(step: Step, mailer: Mailer): ReturnType<Mailer['send']> {
  return eventually(async () => {
    const before = smtp.reached(step);
    const attempt = await mailer.send(mail);
    expect(smtp.reached(step)).toBeGreaterThan(before);
    return attempt;
  });
}

/** A mailer with a short deadline. It already has a connection where the connection is not what is tested. */
async function impatientAt(step: Step) {
  if (step === 'content') return open({ contentMs: 400 });
  const mailer = open({ untilContentMs: 400 });
  if (['MAIL', 'RCPT', 'DATA'].includes(step))
    await eventually(async () => expect(await mailer.send(mail)).toMatchObject({ outcome: 'accepted' }));
  return mailer;
}

describe('a mail server', () => {
  it('gets more time to answer to the content than to earlier steps', async () => {
    await using mailer = open({ untilContentMs: 1_000 });
    const longer = async () => {
      await pause(1_250);
      return '250 2.0.0 Ok, at last';
    };
    smtp.behave((step) => (step === 'content' ? longer() : undefined));
    expect(await attemptAt('content', mailer)).toEqual({
      outcome: 'accepted',
      reply: '250 2.0.0 Ok, at last',
    });
  });

  it('gets several mails over one connection', async () => {
    await using mailer = open();
    for (let count = 0; count < 5; count += 1)
      expect(await mailer.send(mail)).toMatchObject({ outcome: 'accepted' });
    expect(smtp.reached('connect')).toBe(1);
  });

  it('that refuses one mail gets the next over the same connection', async () => {
    await using mailer = open();
    smtp.behave((step, turn) => (step === 'RCPT' && turn === 1 ? '550 5.1.1 Nobody here' : undefined));
    expect(await mailer.send(mail)).toMatchObject(unknownMailbox);
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'accepted' });
    expect(smtp.reached('connect')).toBe(1);
  });

  it('that cannot be reached is unavailable, which is not a refusal of the mail', async () => {
    await using mailer = open();
    await smtp[Symbol.asyncDispose]();
    expect(await mailer.send(mail)).toMatchObject(unavailable);
    smtp = await startFaultySmtp();
  });
});

it('an empty address is refused without asking the server', async () => {
  await using mailer = open();
  expect(await mailer.send({ ...mail, recipient: '' })).toMatchObject(refused);
  expect(smtp.reached('RCPT')).toBe(0);
});
