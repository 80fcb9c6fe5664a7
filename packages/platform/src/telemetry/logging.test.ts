import { describe, expect, it } from '@jest/globals';
import { collectingLogger } from '@offer-ads/testing/logger';
import type { Logger } from './logging.ts';

function logged(write: (logger: Logger) => void): Record<string, unknown>[] {
  const { logger, lines } = collectingLogger();
  write(logger);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the log', () => {
  it('names the service, the level and an ISO time', () => {
    const [line] = logged((logger) => logger.warn('careful'));
    expect(line).toMatchObject({ service: 'test', level: 'warn', msg: 'careful' });
    expect(new Date(line?.time as string).toISOString()).toBe(line?.time);
  });

  it('holds no credential and no email, in a field or in a nested object', () => {
    const secrets = { 'x-api-key': 'hidden', authorization: 'hidden', email: 'hidden', token: 'hidden' };
    const lines = logged((logger) => logger.info({ ...secrets, headers: secrets }, 'request'));
    expect(JSON.stringify(lines)).not.toContain('hidden');
    expect(lines[0]).toMatchObject({ authorization: '[redacted]', headers: { 'x-api-key': '[redacted]' } });
  });

  it('has the message, stack, code and cause of an error, and no other property of it', () => {
    const cause = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (email)=(ada@example.test)',
    });
    const [line] = logged((logger) => logger.error({ error: new Error('not stored', { cause }) }, 'failed'));
    expect(line?.error).toMatchObject({
      message: 'not stored',
      stack: expect.stringContaining('logging.test'),
      cause: { message: 'duplicate key', code: '23505' },
    });
    expect(JSON.stringify(line)).not.toContain('ada@');
  });
});
