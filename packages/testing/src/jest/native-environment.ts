/** A jest environment without its own context: tests use the globals of their worker. */
class NativeEnvironment {
  /** Globals that jest sets for tests. The runtime uses the console of these. */
  readonly global: Record<string, unknown> = {};
  readonly setup = async (): Promise<void> => {};
  readonly teardown = async (): Promise<void> => {};
  readonly getVmContext = (): null => null;
}

/** As jest `require`s it. */
export { NativeEnvironment as 'module.exports' };
