/** Instead of the decoder: does with an upload what the upload's text says. */
import type { Reply, Request, RoomReply } from '../src/pictures/decoder-process.ts';

const taken: Buffer[] = [];
let id = 0;
let text = '';
const answer = () => process.send?.({ id, result: process.pid, processorMs: 7 } satisfies Reply);
/** Like native code, it cannot be asked to stop. */
const hang = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);

process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message: Request | RoomReply) => {
  if ('hasRoom' in message) {
    if (message.hasRoom && text === 'hangs when it has room') hang();
    return void answer();
  }
  id = message.id;
  text = Buffer.from(message.args[0] as Uint8Array).toString();
  if (text === 'hangs') hang();
  else if (text === 'grows') setInterval(() => taken.push(Buffer.alloc(2 ** 24, 1)), 5);
  else if (text === 'crashes') process.kill(process.pid, 'SIGSEGV');
  else if (text === 'is killed') process.kill(process.pid, 'SIGKILL');
  else if (text.endsWith('when it has room')) process.send?.({ needsRoom: true } satisfies Reply);
  else answer();
});
process.send?.('ready');
