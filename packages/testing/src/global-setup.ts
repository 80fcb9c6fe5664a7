/** Runs once per jest run, before any integration test. */
import { handToWorkers, requireAddress } from './config.ts';

export default async function globalSetup(): Promise<void> {
  handToWorkers({
    postgres: requireAddress('postgres'),
    mongo: requireAddress('mongo'),
    rabbitmq: requireAddress('rabbitmq'),
  });
}
