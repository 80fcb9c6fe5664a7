/** In the decoder's place: does with an upload what the upload's text says. */
import type { Abandonment, Reply, Request } from '../src/pictures/decoder-process.ts';

const taken: Buffer[] = [];

process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message: Request | Abandonment) => {
  if ('abandoned' in message) return;
  const { id, args } = message;
  const [upload] = args;
  const text = Buffer.from(upload as Uint8Array).toString();
  // Like native code, it cannot be asked to stop, and nobody else in the process is answered.
  if (text === 'hangs') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (text === 'grows') setInterval(() => taken.push(Buffer.alloc(2 ** 24, 1)), 5);
  if (text === 'crashes') process.kill(process.pid, 'SIGSEGV');
  if (text === 'lasts')
    setTimeout(() => process.send?.({ id, result: process.pid, processorMs: 300 } satisfies Reply), 300);
  if (text === 'ordinary')
    setTimeout(() => {
      // Beside one that grows it is not ready before the process has ended.
      if (taken.length === 0) process.send?.({ id, result: process.pid, processorMs: 7 } satisfies Reply);
    }, 50);
});
process.send?.('ready');
