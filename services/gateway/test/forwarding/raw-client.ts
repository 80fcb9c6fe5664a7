/** A client that writes bytes as they are, as no library would. */
import { connect, type Socket } from 'node:net';
import { eventually } from '@offer-ads/testing/waiting/eventually';

export type RawClient = {
  readonly socket: Socket;
  /** All that came until the gateway closed. */
  readonly answer: Promise<string>;
  /** By the clock of `performance`. */
  readonly sentAtMs: number;
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
  const sentAtMs = performance.now();
  socket.write(bytes, 'latin1');
  return { socket, answer, sentAtMs };
}

/** Sends until a 503, which a busy machine may give, is not among the answers. */
export function answerToRaw(url: string, bytes: string): Promise<string> {
  return eventually(async () => {
    const answer = await sendRaw(url, bytes).answer;
    if (statusesIn(answer).includes(503)) throw new Error(answer);
    return answer;
  });
}

/** Sends until it has arrived where the test waits for it: what is answered before, as a 503 of a busy machine, is sent again. */
export function sendRawUntil(arrived: Promise<unknown>, url: string, bytes: string): Promise<RawClient> {
  return eventually(async () => {
    const client = sendRaw(url, bytes);
    const tooEarly = await Promise.race([arrived.then(() => undefined), client.answer]);
    if (tooEarly !== undefined) throw new Error(`answered before it arrived: ${tooEarly}`);
    return client;
  });
}

export function statusesIn(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}

/** TCP connections that this process has open, on either side. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}
