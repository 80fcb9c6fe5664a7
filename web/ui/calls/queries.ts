/** The query client of an app. */
import { QueryClient } from '@tanstack/preact-query';
import { Refused } from './call.ts';

/** @param mayPass whether a request with this status is repeated once; 0: no reply. Repeating other refusals does not help. */
export function createQueries(mayPass: (status: number) => boolean): QueryClient {
  const retry = (failures: number, error: Error) =>
    failures < 1 && error instanceof Refused && mayPass(error.refusal.status);
  return new QueryClient({ defaultOptions: { queries: { retry, staleTime: 5_000 } } });
}
