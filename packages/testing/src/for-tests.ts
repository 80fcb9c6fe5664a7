/** What the tests of a file or of a `describe` block share. It can be read within tests and hooks, and not while the file is read. */
import { afterAll, beforeAll, beforeEach } from '@jest/globals';

/** Those that are started at the moment. */
const started: AsyncDisposable[] = [];

/** Started before the first test, and disposed of after the last: what was started last comes first. */
export function forAllTests<T extends AsyncDisposable>(start: () => Promise<T>): T {
  let own: T | undefined;
  beforeAll(async () => {
    own = await start();
    started.push(own);
  });
  afterAll(async () => started.pop()?.[Symbol.asyncDispose]());
  return standIn(() => own);
}

/** Made anew before each test. */
export function forEachTest<T extends object>(make: () => Promise<T>): T {
  let made: T | undefined;
  beforeEach(async () => {
    made = await make();
  });
  return standIn(() => made);
}

/** Has the properties of what is there at the moment. */
function standIn<T extends object>(current: () => T | undefined): T {
  const real = () => {
    const found = current();
    if (found === undefined) throw new Error('this is made before the tests, and was read before that');
    return found;
  };
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(real(), name),
    set: (_, name, value) => Reflect.set(real(), name, value),
  });
}
