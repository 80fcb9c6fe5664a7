/** Runs once per jest run, after the last integration test. */
export default async function globalTeardown(): Promise<void> {}
