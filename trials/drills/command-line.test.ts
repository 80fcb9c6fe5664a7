import { expect, it } from '@jest/globals';
import { readCommandLine } from './command-line.ts';
import { drills, kebab } from './drills.ts';

it('alerts are named as in the rules or as their pages', () => {
  const wanted = readCommandLine(['mails-unsent', 'OutboxStuck']);
  expect(wanted.ok && wanted.what === 'run' ? wanted.drills.map(({ alert }) => alert) : wanted).toEqual([
    'OutboxStuck',
    'MailsUnsent',
  ]);
});

it('--all runs every drill, --list none', () => {
  expect(readCommandLine(['--all'])).toEqual({ ok: true, what: 'run', drills });
  expect(readCommandLine(['--list'])).toEqual({ ok: true, what: 'list' });
});

it('an unknown alert, or none, is told with what to do', () => {
  expect(readCommandLine(['OutboxStuk'])).toEqual({
    ok: false,
    problem: 'there is no drill OutboxStuk; --list names all',
  });
  expect(readCommandLine([])).toEqual({ ok: false, problem: expect.stringContaining('--all') });
});

it('pages are named after their alerts in kebab-case', () => {
  expect(['OutboxStuck', 'LoopFailing', 'CallLogLost'].map(kebab)).toEqual([
    'outbox-stuck',
    'loop-failing',
    'call-log-lost',
  ]);
});
