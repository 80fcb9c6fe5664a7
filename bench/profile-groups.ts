/** Self time of a V8 CPU profile, by who wrote the function. */

/** The parts of the .cpuprofile format that are read here (Chrome DevTools Protocol, Profiler.Profile). */
export type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

export type SelfTimes = {
  /** Without idling. */
  totalUs: number;
  readonly groups: Map<string, number>;
  readonly functions: Map<string, number>;
};

export function selfTimes(): SelfTimes {
  return { totalUs: 0, groups: new Map(), functions: new Map() };
}

export function addProfile(times: SelfTimes, profile: CpuProfile): void {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  for (const [index, id] of profile.samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)') continue;
    const us = profile.timeDeltas[index] ?? 0;
    times.totalUs += us;
    add(times.groups, groupOf(frame.functionName, frame.url), us);
    add(times.functions, nameOf(frame), us);
  }
}

/** Functions of V8 and of C++ have no file; what they are is in their names. */
export function groupOf(functionName: string, url: string): string {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)' || functionName === '(root)')
    return 'outside of JavaScript: system calls, HTTP parsing';
  const packageName = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (packageName !== undefined) return packages[packageName] ?? packageFamily(packageName);
  const own = /\/(?:services|packages)\/([^/]+)\/src\//.exec(url)?.[1];
  if (own !== undefined) return `ours: ${own}`;
  const part = /^node:(?:internal\/)?(?:deps\/)?([^/]+)/.exec(url)?.[1];
  if (part !== undefined) return `node: ${nodeParts[part] ?? part}`;
  if (
    /^(writev|write\w*String|writeBuffer|shutdown|readStart|readStop|execute|consume)$/.test(functionName)
  ) {
    return 'node: sockets, writing';
  }
  return 'V8 built-ins';
}

const packages: Record<string, string> = {
  router: 'express',
  'path-to-regexp': 'express',
  parseurl: 'express',
  finalhandler: 'express',
  'on-finished': 'express',
  'pg-pool': 'pg',
  'pg-protocol': 'pg',
  'sonic-boom': 'pino',
  'thread-stream': 'pino',
  'safe-stable-stringify': 'pino',
};

function packageFamily(name: string): string {
  if (name.startsWith('@pinojs/')) return 'pino';
  if (name.startsWith('@opentelemetry/')) return 'opentelemetry';
  return name;
}

const nodeParts: Record<string, string> = {
  _http_server: 'http server',
  _http_outgoing: 'http server',
  _http_incoming: 'http server',
  _http_common: 'http server',
  http: 'http server',
  net: 'sockets',
  stream_base_commons: 'sockets',
  streams: 'streams',
  stream: 'streams',
  webstreams: 'streams',
  timers: 'timers',
  process: 'ticks, promises',
  async_hooks: 'ticks, promises',
  events: 'events, abort signals',
  event_target: 'events, abort signals',
  abort_controller: 'events, abort signals',
  per_context: 'events, abort signals',
};

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const file = url.replace(/^.*\/node_modules\//, '').replace(/^.*\/((?:services|packages)\/)/, '$1');
  return url === '' ? functionName : `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`;
}

function add(times: Map<string, number>, name: string, us: number): void {
  times.set(name, (times.get(name) ?? 0) + us);
}
