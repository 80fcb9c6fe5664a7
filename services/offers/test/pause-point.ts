/** A step of a fake service that waits until the test lets it go on. */
export type PausePoint = {
  readonly step: () => Promise<void>;
  readonly reached: Promise<void>;
  readonly goOn: () => void;
};

export function pausePoint(): PausePoint {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    step: async () => {
      reached.resolve();
      await released.promise;
    },
    reached: reached.promise,
    goOn: released.resolve,
  };
}
