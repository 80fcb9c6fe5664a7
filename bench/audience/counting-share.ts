/** The share of counting in a process's work: samples of V8 in the kernel and in its callers, of all that are not idle. */

/** The parts of the .cpuprofile format that are read here (Chrome DevTools Protocol, Profiler.Profile). */
export type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
  readonly startTime: number;
};

/** Microseconds on the clock that all processes of a machine share, `process.hrtime`'s. */
export type Window = { readonly fromUs: number; readonly toUs: number };

/** Samples before and after this interval, for example of reading a snapshot, do not count. */
export function countingShare(profiles: readonly CpuProfile[], { fromUs, toUs }: Window): number {
  let [counting, all] = [0, 0];
  for (const { nodes, samples, timeDeltas, startTime } of profiles) {
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    let at = startTime;
    for (const [index, id] of samples.entries()) {
      const us = timeDeltas[index] ?? 0;
      at += us;
      const frame = frames.get(id);
      if (at < fromUs || at > toUs || frame === undefined || frame.functionName === '(idle)') continue;
      all += us;
      if (isCounting(frame.url)) counting += us;
    }
  }
  return counting / all;
}

function isCounting(url: string): boolean {
  return url.startsWith('wasm:') || url.includes('/services/pricing/src/audience-index/');
}
