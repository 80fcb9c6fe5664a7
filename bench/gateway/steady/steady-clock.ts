/** The system's monotonic clock in microseconds, the same in every thread (performance.now() starts anew in each). */
export function nowUs(): number {
  return Number(process.hrtime.bigint()) / 1_000;
}
