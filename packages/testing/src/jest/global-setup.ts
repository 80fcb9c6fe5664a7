/** Jest calls this once per run, and only when there are integration tests to run. */
export { startRunBacking as default } from '../stores/run-backing.ts';
