/** A client that writes bytes as they are, as no library would. */
import { connect, type Socket } from 'node:net';

export type RawClient = {
  readonly socket: Socket;
  /** All that came until the gateway closed. */
  readonly answer: Promise<string>;
};

/** @param bytes one character each */
export function sendRaw(url: string, bytes: string): RawClient {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  const answer = new Promise<string>((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve(text));
  });
  socket.write(bytes, 'latin1');
  return { socket, answer };
}

export function statusesIn(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}

/** TCP connections that this process has open, on either side. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}
