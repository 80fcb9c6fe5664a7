/** Distinguishes a MongoDB that is unavailable from one that refuses an operation. */
import mongoose from 'mongoose';
import type { Deadline } from '../calls/deadline.ts';
import { serviceUnavailable } from '../process/faults.ts';
import { within } from '../process/within.ts';

/** Decision 23, deadlines and outages: a call to a store may take two seconds. */
const BUDGET_MS = 2_000;

/**
 * Options of one read that starts now: the server stops working on it in time, and the driver stops waiting for a silent server. The
 * driver's own `timeoutMS` has no effect (mongodb 7.8).
 * @param deadline ends the read sooner. An awaited one also ends it when the caller disconnects: the driver then closes the connection,
 *   and the server stops working
 */
export function withinBudget(deadline?: Deadline): { maxTimeMS: number; signal: AbortSignal } {
  if (deadline === undefined) return { maxTimeMS: BUDGET_MS, signal: AbortSignal.timeout(BUDGET_MS) };
  // 0 would mean "no limit".
  const maxTimeMS = Math.max(1, Math.min(BUDGET_MS, Math.ceil(deadline.remainingMs())));
  return { maxTimeMS, signal: deadline.signal(BUDGET_MS) };
}

/**
 * The result, or the 503 fault when the store is unavailable (decision 23, deadlines and outages). Errors about the operation itself are
 * passed on unchanged.
 */
export async function orUnavailable<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw serviceUnavailable(`mongo: ${error.message}`, error);
  }
}

/** Decision 23, deadlines and outages: 503 comes within 3 s. */
const REQUEST_MS = 3_000;

/**
 * The store as a request uses it: each call ends in time, with the 503 fault if the store is away. The driver alone waits for a silent
 * server for ten seconds. What a call had begun may still be done.
 */
export function forRequests<Store extends object>(store: Store): Store {
  const calls = Object.entries(store).map(([name, call]: [string, unknown]) => [
    name,
    typeof call === 'function' ? (...args: unknown[]) => inTime(call.apply(store, args)) : call,
  ]);
  return Object.fromEntries(calls) as Store;
}

async function inTime(operation: Promise<unknown>): Promise<unknown> {
  return within(REQUEST_MS, orUnavailable(operation), () => {
    throw serviceUnavailable(`mongo: no answer within ${REQUEST_MS} ms`);
  });
}

/** Error codes of a server that is unavailable: time limit, shutting down, no primary. */
const UNAVAILABLE_CODES: ReadonlySet<unknown> = new Set([50, 91, 189, 10107, 11600, 11602, 13435, 13436]);

function isUnavailable(error: unknown): error is Error {
  // The driver reports a bulk write that did not reach the server as one that the server refused.
  if (error instanceof mongoose.mongo.MongoBulkWriteError && isUnavailable(error.errorResponse)) return true;
  if (error instanceof mongoose.mongo.MongoServerError) return UNAVAILABLE_CODES.has(error.code);
  if (error instanceof mongoose.mongo.MongoError) return true;
  // The driver passes on two network errors unchanged: a time-out before the first byte, and a reset while it writes.
  const { name, syscall } = error as { name?: unknown; syscall?: unknown };
  return name === 'TimeoutError' || syscall !== undefined;
}
