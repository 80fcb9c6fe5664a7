/** An SMTP server that a test controls step by step. It knows exactly which mails it accepted. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type Step = 'connect' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'content';

/**
 * The server's answer. `cut` closes the connection instead, `silence` never answers, and a promise is awaited.
 * A mail is taken when the content is answered with 2xx, or when the connection is cut instead of that answer.
 */
export type Behaviour = string | Promise<string> | undefined;

export type TakenMail = {
  readonly messageId: string;
  readonly recipient: string;
  readonly at: number;
};

export type FaultySmtp = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  /** Sets the behaviour from now on; undefined is the usual answer. `turn` counts how often the step was reached, from 1. */
  readonly behave: (behaviour: (step: Step, turn: number, recipient: string) => Behaviour) => void;
  /** Also mails whose answer was not sent. */
  readonly taken: TakenMail[];
  readonly reached: (step: Step) => number;
};

const usual: Record<Step, string> = {
  connect: '220 faulty.example ESMTP',
  EHLO: '250-faulty.example\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 AUTH PLAIN',
  AUTH: '235 2.7.0 Welcome',
  MAIL: '250 2.1.0 Sender ok',
  RCPT: '250 2.1.5 Recipient ok',
  DATA: '354 Go on',
  content: '250 2.0.0 Ok: queued',
};

/** `port` 0 takes a free one; the same port again is the same server back from an outage. */
export async function startFaultySmtp(port = 0, takenBefore: readonly TakenMail[] = []): Promise<FaultySmtp> {
  let behaviour: (step: Step, turn: number, recipient: string) => Behaviour = () => undefined;
  const turns = new Map<Step, number>();
  const taken: TakenMail[] = [...takenBefore];
  const sockets = new Set<Socket>();

  function act(step: Step, recipient = ''): Behaviour {
    const turn = (turns.get(step) ?? 0) + 1;
    turns.set(step, turn);
    return behaviour(step, turn, recipient);
  }

  async function talk(socket: Socket): Promise<void> {
    const lines = linesOf(socket);
    let recipient = '';
    let isRefused = false;
    /** @returns false when the connection has ended */
    const answer = async (step: Step): Promise<boolean> => {
      const reply = (await act(step, recipient)) ?? usual[step];
      if (reply === 'cut') return false;
      if (reply === 'silence') return (await once(socket, 'close')).length < 0;
      socket.write(`${reply}\r\n`);
      isRefused ||= /^[45]/.test(reply);
      return !reply.startsWith('421');
    };
    if (!(await answer('connect'))) return;
    for await (const line of lines) {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'QUIT') return;
      if (verb === 'MAIL' || verb === 'RSET') isRefused = false;
      if (verb === 'RCPT') recipient = /<(.*?)>/.exec(line)?.[1] ?? '';
      if (verb === 'RSET') socket.write('250 ok\r\n');
      else if (verb === 'DATA' && isRefused) socket.write('503 5.5.1 No valid recipients\r\n');
      else if (!(await answer(verb === 'HELO' ? 'EHLO' : (verb as Step)))) return;
      if (verb !== 'DATA' || isRefused) continue;
      if (!(await receive(lines, recipient))) return;
    }

    async function receive(content: AsyncIterable<string>, to: string): Promise<boolean> {
      let messageId = '';
      for await (const line of content) {
        messageId ||= /^Message-ID: (.*)$/i.exec(line)?.[1] ?? '';
        if (line !== '.') continue;
        const reply = (await act('content', to)) ?? usual.content;
        if (reply === 'cut' || reply.startsWith('2'))
          taken.push({ messageId, recipient: to, at: Date.now() });
        if (reply === 'cut') return false;
        if (reply === 'silence') return (await once(socket, 'close')).length < 0;
        socket.write(`${reply}\r\n`);
        return !reply.startsWith('421');
      }
      return false;
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    void talk(socket)
      .catch(() => {})
      .finally(() => socket.end());
  });
  await listen(server, port);
  const address = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    behave: (next) => {
      behaviour = next;
    },
    taken,
    reached: (step) => turns.get(step) ?? 0,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** One iterator for commands and contents, which share the stream. */
function linesOf(socket: Socket): AsyncIterable<string> {
  const iterator = (async function* () {
    let rest = '';
    for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      const lines = (rest + String(chunk)).split('\r\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  })();
  // Without `return`, leaving a loop does not end the iterator; the next loop goes on with the rest.
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
}

/** Tries again, because a port that was just closed may be in use for a moment. */
async function listen(server: Server, port: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return;
    } catch (error) {
      if (tries === 50) throw error;
      await pause(100);
    }
  }
}
