/** Requests as bytes, for what no HTTP client sends. */
import { connect, type Socket } from 'node:net';

/** @returns `reply`: all bytes that came back, once the connection is closed */
export function sendRaw(
  { port }: { readonly port: number },
  bytes: string,
): { readonly socket: Socket; readonly reply: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  const reply = new Promise<string>((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve(text));
  });
  socket.write(bytes);
  return { socket, reply };
}

export const statusLinesIn = (reply: string) => reply.match(/HTTP\/1\.1 \d+/g);
