import { describe, expect, it } from '@jest/globals';
import { collectStatements } from './batch.ts';

describe('the statements of a transaction', () => {
  it('are not sent after a message that failed, which may be the one with its beginning', async () => {
    const sent: unknown[] = [];
    const began = Promise.withResolvers<never>();
    const { query, queryLater } = collectStatements((statements) => {
      sent.push(statements.map(({ text }) => text));
      return began.promise;
    });
    queryLater({ text: 'BEGIN' });
    const first = query({ text: 'one' });
    await Promise.resolve();
    const second = query({ text: 'two' });
    await Promise.resolve();
    began.reject(new Error('cancelled'));
    await expect(first).rejects.toThrow('cancelled');
    await expect(second).rejects.toThrow('cancelled');
    expect(sent).toEqual([['BEGIN', 'one']]);
  });
});
