/** Telling a MongoDB that cannot serve now from one that refuses an operation. */
import mongoose from 'mongoose';
import { serviceUnavailable } from './faults.ts';

/** Decision 23, as the driver's own time-out: it counts from the call on and includes finding a server. */
export const withinBudget = { timeoutMS: 2_000 } as const;

/**
 * The result of an operation, or the fault "down" (decision 23). What the server says about the operation itself
 * stays as it is.
 */
export async function orUnavailable<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw isUnavailable(error) ? serviceUnavailable(`mongo: ${(error as Error).message}`, error) : error;
  }
}

/** Server codes by which it says that it cannot serve now: time limit, shutting down, no primary. */
const UNAVAILABLE_CODES: ReadonlySet<unknown> = new Set([50, 91, 189, 10107, 11600, 11602, 13435, 13436]);

function isUnavailable(error: unknown): boolean {
  if (error instanceof mongoose.mongo.MongoServerError) return UNAVAILABLE_CODES.has(error.code);
  return error instanceof mongoose.mongo.MongoError;
}
