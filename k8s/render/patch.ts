/** The two kinds of patches that kustomize knows, so far as k8s/ uses them. */

export type Values = { readonly [key: string]: unknown };

export type Manifest = Values & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Values & { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
};

export type Operation = {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
};

/** RFC 6902. What is not there can be neither replaced nor removed. */
export function operate(values: Values, operations: readonly Operation[]): Values {
  return operations.reduce(
    (soFar, { path, ...operation }) => changedAt(soFar, namesIn(path), operation, path) as Values,
    values,
  );
}

function namesIn(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function changedAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  operation: Omit<Operation, 'path'>,
  path: string,
): unknown {
  if (typeof value !== 'object' || value === null || name === undefined)
    throw new Error(`nothing is at ${path}`);
  const entries = new Map(Object.entries(value));
  if (operation.op !== 'add' && !entries.has(name)) throw new Error(`nothing is at ${path}`);
  if (rest.length > 0) entries.set(name, changedAt(entries.get(name), rest, operation, path));
  else if (operation.op === 'remove') entries.delete(name);
  else entries.set(name, operation.value);
  return Array.isArray(value) ? [...entries.values()] : Object.fromEntries(entries);
}

/** By which field the entries of a list of Kubernetes' own objects are told apart; all other lists are replaced. */
const keys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  ports: 'containerPort',
  volumes: 'name',
  volumeMounts: 'mountPath',
};

export function mergeStrategically(base: Values, patch: Values): Values {
  const merged: Record<PropertyKey, unknown> = { ...base };
  for (const [name, value] of Object.entries(patch)) merged[name] = mergedValue(name, base[name], value);
  return merged;
}

function mergedValue(name: string, base: unknown, patch: unknown): unknown {
  if (isValues(base) && isValues(patch)) return mergeStrategically(base, patch);
  const key = keys[name];
  if (key === undefined || !Array.isArray(base) || !Array.isArray(patch)) return patch;
  const known = base as Values[];
  const added = (patch as Values[]).filter((one) => !known.some((other) => other[key] === one[key]));
  const kept = known.map((one) => {
    const change = (patch as Values[]).find((other) => other[key] === one[key]);
    return change === undefined ? one : mergeStrategically(one, change);
  });
  return [...added, ...kept];
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
