/** Single flight: concurrent requests for the same work share one run. */

/** Runs `work` unless it already runs under this key; then waits for that result. */
export function createSingleFlight<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const flights = new Map<string, Promise<T>>();

  return async function run(key, work) {
    for (let flight = flights.get(key); flight !== undefined; flight = flights.get(key)) {
      const landed = await flight.then((result) => ({ result })).catch(() => undefined);
      if (landed !== undefined) return landed.result;
      // It failed, perhaps only because its caller disconnected, which is no reason to fail here.
    }
    const flight = work().finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };
}
