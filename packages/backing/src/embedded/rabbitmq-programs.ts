/** Finds RabbitMQ's server script, or installs it with the package manager. */
import { existsSync, globSync } from 'node:fs';
import { installByApt } from '../apt.ts';
import { found, type Look, notFound, type Place } from '../find.ts';
import { onPath } from '../on-path.ts';

/** Places in the order of the architecture page. */
export function rabbitmqPlaces(report: (line: string) => void): Place<string>[] {
  return [
    { name: 'installed rabbitmq-server', look: installedRabbitmq },
    { name: 'apt-get', look: () => installByApt('rabbitmq-server', { report, look: installedRabbitmq }) },
  ];
}

async function installedRabbitmq(): Promise<Look<string>> {
  const command = onPath('rabbitmq-server');
  if (command === undefined) return notFound('no rabbitmq-server on PATH');
  // Debian's command is a wrapper that does `su rabbitmq`; the script itself runs as the user who calls it.
  const script =
    globSync('/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server')[0] ??
    ['/usr/lib/rabbitmq/bin/rabbitmq-server'].find((file) => existsSync(file)) ??
    command;
  return found(script, `rabbitmq-server is installed (${script})`);
}
