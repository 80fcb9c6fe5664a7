/**
 * Loads test files and sources with Node's own loader instead of jest's. A worker loads each module once for all its test files;
 * jest's runtime would load the whole service again for every file. So test files share the globals and modules of their worker: a
 * test that changes these must restore them.
 */
import { createRequire, flushCompileCache, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type JestGlobals, setGlobals } from './globals.ts';

const require = createRequire(import.meta.url);
const globalsUrl = new URL('globals.ts', import.meta.url).href;

// Outside of jest's own loader `@jest/globals` throws.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: globalsUrl, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
});

/** jest-circus keeps the tests and the listeners of the current file under these symbols. */
const circusState = /^(JEST_STATE_SYMBOL|EVENT_HANDLERS)$/;

/** The part of jest's runtime that jest-runner and jest-circus call. */
class NativeRuntime {
  constructor(_config: unknown, environment: { readonly global: { console?: Console } }) {
    if (environment.global.console !== undefined) globalThis.console = environment.global.console;
  }

  /** jest-circus, new for each test file. */
  requireInternalModule(path: string): unknown {
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (circusState.test(symbol.description ?? '')) Reflect.deleteProperty(globalThis, symbol);
    delete require.cache[path];
    return require(path);
  }
  setGlobalsForRuntime(globals: JestGlobals): void {
    setGlobals(globals);
  }
  unstable_shouldLoadAsEsm(): boolean {
    return true;
  }
  async unstable_importModule(path: string): Promise<void> {
    await import(pathToFileURL(path).href);
    // For the processes that the tests start; by itself Node writes the cache when a process ends.
    flushCompileCache();
  }
  requireModule(path: string): unknown {
    return require(path);
  }
  getSourceMaps(): null {
    return null;
  }
  getAllCoverageInfoCopy(): undefined {}
  enterTestCode(): void {}
  leaveTestCode(): void {}
  teardown(): void {}
}

/** As jest `require`s it. */
export { NativeRuntime as 'module.exports' };
