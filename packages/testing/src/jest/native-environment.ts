/** A jest environment without a context of its own: tests run among the globals of their worker. */
class NativeEnvironment {
  /** What jest sets for tests. The runtime takes over what they need. */
  readonly global: Record<string, unknown> = {};
  readonly setup = async (): Promise<void> => {};
  readonly teardown = async (): Promise<void> => {};
  readonly getVmContext = (): null => null;
}

/** As jest `require`s it. */
export { NativeEnvironment as 'module.exports' };
