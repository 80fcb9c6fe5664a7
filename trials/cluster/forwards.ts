/** Local ports that lead to Services of the cluster, also after their pods were replaced. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import type { Kubectl } from './kubectl.ts';

export type Forward = { readonly service: string; readonly servicePort: number; readonly localPort: number };

/**
 * To the address of the Service where this machine can reach it, as a node of the cluster can. Elsewhere by `kubectl port-forward`, which
 * leads to one pod and is started again when that ends. @returns whether addresses of Services can be reached from here
 */
export async function openForwards(
  opened: AsyncDisposableStack,
  kubectl: Kubectl,
  forwards: readonly Forward[],
): Promise<boolean> {
  const services = await kubectl.json<{
    items: { metadata: { name: string }; spec: { clusterIP: string } }[];
  }>('get', 'services');
  const addressOf = (name: string) =>
    services.items.find(({ metadata }) => metadata.name === name)?.spec.clusterIP ?? '';
  const [first] = forwards;
  const isDirect = first !== undefined && (await canConnect(addressOf(first.service), first.servicePort));
  for (const forward of forwards)
    if (isDirect)
      opened.use(
        await startTcpProxy(`tcp://${addressOf(forward.service)}:${forward.servicePort}`, forward.localPort),
      );
    else keepForwarding(opened, kubectl, forward);
  return isDirect;
}

async function canConnect(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  const connected = await Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => false,
    ),
    pause(3_000, false),
  ]);
  socket.destroy();
  return connected;
}

function keepForwarding(opened: AsyncDisposableStack, kubectl: Kubectl, forward: Forward): void {
  let child: ChildProcess | undefined;
  let isOver = false;
  const start = () => {
    if (isOver) return;
    const ports = `${forward.localPort}:${forward.servicePort}`;
    child = spawn(...kubectl.command('port-forward', `service/${forward.service}`, ports), {
      stdio: 'ignore',
    });
    child.once('exit', () => void pause(500).then(start));
  };
  start();
  opened.defer(async () => {
    isOver = true;
    child?.kill();
  });
}
