import { describe, expect, it } from '@jest/globals';
import { attemptResultOf, type Failure } from './attempt.ts';

const failure: Failure = {
  stage: 'envelope',
  command: 'RCPT TO',
  reply: undefined,
  unsendable: false,
  problem: 'it failed',
};
const answered = (command: string, reply: string, stage: Failure['stage'] = 'envelope') =>
  attemptResultOf({ ...failure, stage, command, reply });

describe('an answer of a server', () => {
  it.each([
    ['550 5.1.1 No such user here', true],
    ['550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 Look again', true],
    ['553 5.1.3 Bad address syntax', true],
    ['556 5.1.10 Recipient address has null MX', true],
    ['550 5.2.1 The mailbox is disabled', true],
    ['552 5.2.2 The mailbox is full', false],
    ['550 5.7.1 Your message is blocked', false],
    ['550 5.1.1 User unknown in relay recipient table', true],
    ['550 no such user', false],
  ])('to the recipient, %j, is final; the mailbox does not exist: %j', (reply, unknownMailbox) => {
    expect(answered('RCPT TO', reply)).toMatchObject({ outcome: 'refused', unknownMailbox });
  });

  it.each([
    ['DATA', '554 5.6.0 Message refused', 'envelope'],
    ['DATA', '550 5.7.1 This looks like spam', 'content'],
    ['DATA', '550 5.1.1 No such user', 'content'],
    ['MAIL FROM', '552 5.3.4 Message too big', 'envelope'],
  ] as const)('at %s, %j, is final and says nothing of the address', (command, reply, stage) => {
    expect(answered(command, reply, stage)).toMatchObject({ outcome: 'refused', unknownMailbox: false });
  });

  it.each([
    ['RCPT TO', '450 4.2.0 Greylisted, try again later'],
    ['RCPT TO', '452 4.2.2 The mailbox is full'],
    ['RCPT TO', '452 4.2.2 The email account that you tried to reach is over quota'],
    ['RCPT TO', '450 mailbox busy'],
    ['DATA', '451 4.7.1 Try again later'],
    ['DATA', '503 5.5.1 Bad sequence of commands'],
  ])('at %s, %j, concerns this mail for a while', (command, reply) => {
    expect(answered(command, reply)).toMatchObject({ outcome: 'deferred', slowDown: false });
  });

  it.each([
    ['RCPT TO', '421 4.7.0 Too many mails, closing'],
    ['RCPT TO', '452 4.3.1 Insufficient system storage'],
    ['DATA', '454 Throttling failure: Maximum sending rate exceeded.'],
    ['DATA', '451 4.4.5 Congestion'],
    ['DATA', '450 You are over your rate limit'],
    ['MAIL FROM', '451 4.3.0 Try again later'],
    ['MAIL FROM', '550 5.7.1 Sender refused'],
    ['MAIL FROM', '530 5.7.0 Authentication required'],
    ['RCPT TO', '550 5.1.8 Sender address has no domain'],
    ['RCPT TO', '535 5.7.8 Credentials invalid'],
    // Many servers report problems with the sender only at this command.
    ['RCPT TO', '550 5.1.1 <offers@ads.example>: Sender address rejected: User unknown'],
    ['RCPT TO', '553 5.7.1 <offers@ads.example>: Sender address rejected: not owned by user ads'],
    ['RCPT TO', '554 5.7.1 <ann@cafe.example>: Relay access denied'],
    ['RCPT TO', '550 5.7.1 <ann@cafe.example>... Relaying denied'],
    ['RCPT TO', '550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain'],
    ['RCPT TO', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using bl.example'],
    ['DATA', '550 5.7.60 SMTP; Client does not have permissions to send as this sender'],
    ['DATA', '554 Message rejected: Email address is not verified.'],
  ])('at %s, %j, concerns every mail that we send', (command, reply) => {
    expect(answered(command, reply)).toMatchObject({
      outcome: 'deferred',
      slowDown: true,
      uncertain: false,
    });
  });
});

describe('an attempt', () => {
  it('that no server was ready for is unavailable, whatever that server answered', () => {
    for (const reply of [undefined, '421 busy', '554 5.7.1 go away', '535 5.7.8 wrong password'])
      expect(attemptResultOf({ ...failure, stage: 'session', reply })).toMatchObject({
        outcome: 'unavailable',
      });
  });

  it('that is cut off is uncertain once the content is being sent, and not before', () => {
    expect(attemptResultOf(failure)).toMatchObject({ outcome: 'deferred', slowDown: true, uncertain: false });
    expect(attemptResultOf({ ...failure, stage: 'content' })).toMatchObject({
      outcome: 'deferred',
      slowDown: true,
      uncertain: true,
    });
    expect(answered('DATA', '451 local error', 'content')).toMatchObject({ uncertain: false });
  });

  it('is final when our own client would not send the mail', () => {
    const unsendable = attemptResultOf({ ...failure, unsendable: true, problem: 'Invalid recipient' });
    expect(unsendable).toEqual({ outcome: 'refused', problem: 'Invalid recipient', unknownMailbox: false });
  });

  it('records a short reason on one line, without links, which are credentials', () => {
    const reply = `550 5.7.1 blocked:\r\n https://ads.example/sign-in#secret ${'x'.repeat(1_000)}`;
    const attempt = attemptResultOf({ ...failure, command: 'DATA', reply });
    expect(attempt).toMatchObject({
      problem: expect.stringMatching(/^DATA: 550 5\.7\.1 blocked: \[link\] x+$/),
    });
    expect(JSON.stringify(attempt).length).toBeLessThan(600);
  });
});
