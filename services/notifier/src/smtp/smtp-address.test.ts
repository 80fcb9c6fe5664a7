import { describe, expect, it } from '@jest/globals';
import { smtpAddressOf, smtpProblem, tlsOf } from './smtp-address.ts';

describe('the address of a mail server', () => {
  it('has the port of its kind of TLS, and a decoded login', () => {
    expect(smtpAddressOf('smtps://ann%40mail:p%2Fw@mail.example')).toEqual({
      host: 'mail.example',
      port: 465,
      secure: true,
      login: { user: 'ann@mail', pass: 'p/w' },
    });
    expect(smtpAddressOf('smtp://mail.example')).toMatchObject({
      port: 587,
      secure: false,
      login: undefined,
    });
    expect(smtpAddressOf('smtp://[::1]:25')).toMatchObject({ host: '::1', port: 25 });
  });

  it.each([
    ['smtp://mail.example', undefined, 'required'],
    ['smtp://10.0.0.7:25', undefined, 'required'],
    ['smtp://127.0.0.1.example:25', undefined, 'required'],
    ['smtp://127.0.0.1:1025', undefined, 'off'],
    ['smtp://localhost:1025', undefined, 'off'],
    ['smtp://[::1]:1025', undefined, 'off'],
    ['smtp://127.0.0.1:1025', 'required', 'required'],
    ['smtp://mail-simulator:1025', 'off', 'off'],
  ] as const)('%s with SMTP_TLS %s: TLS is %s', (url, chosen, tls) => {
    expect(tlsOf(smtpAddressOf(url), chosen)).toBe(tls);
  });

  it.each([
    ['smtps://user:password@mail.example:465', undefined, undefined],
    ['smtp://user:password@mail.example:587', undefined, undefined],
    ['smtp://user:password@127.0.0.1:1025', undefined, undefined],
    ['smtp://mail-simulator:1025/', 'off', undefined],
    ['smtp://mail.example:587?ignoreTLS=true', undefined, 'SMTP_TLS'],
    ['smtp://mail.example:465', undefined, 'smtps://'],
    ['smtp://user:password@mail.example:587', 'off', 'password'],
    ['smtp:///', undefined, 'host'],
  ] as const)('%s with SMTP_TLS %s has the problem: %s', (url, chosen, problem) => {
    const expected = problem === undefined ? undefined : expect.stringContaining(problem);
    expect(smtpProblem(url, chosen)).toEqual(expected);
  });
});
