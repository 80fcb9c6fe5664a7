/** Ends a worker thread inside a process that was started with `--inspect`, as running out of memory would. */

type Message = { id?: number; method?: string; params?: { sessionId?: string }; error?: { message: string } };

const ANSWER_WITHIN_MS = 5_000;

/** Ends every worker thread that the process has. Says how many. */
export async function killWorkers(inspectorPort: number): Promise<number> {
  const socket = new WebSocket(await debuggerUrl(inspectorPort));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('the inspector cannot be reached')), {
      once: true,
    });
  });
  try {
    const sessions: string[] = [];
    const enabled = answerTo(socket, 1, (message) => {
      const sessionId = message.params?.sessionId;
      if (message.method === 'NodeWorker.attachedToWorker' && sessionId !== undefined)
        sessions.push(sessionId);
    });
    send(socket, 1, 'NodeWorker.enable', { waitForDebuggerOnStart: false });
    await enabled;
    for (const [place, sessionId] of sessions.entries()) {
      const evaluate = { id: 1, method: 'Runtime.evaluate', params: { expression: 'process.exit(137)' } };
      const sent = answerTo(socket, place + 2);
      send(socket, place + 2, 'NodeWorker.sendMessageToWorker', {
        sessionId,
        message: JSON.stringify(evaluate),
      });
      await sent;
    }
    return sessions.length;
  } finally {
    socket.close();
  }
}

async function debuggerUrl(port: number): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await reply.json()) as { webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error('nothing can be inspected');
  return target.webSocketDebuggerUrl;
}

function send(socket: WebSocket, id: number, method: string, params: object): void {
  socket.send(JSON.stringify({ id, method, params }));
}

function answerTo(
  socket: WebSocket,
  id: number,
  onOther: (message: Message) => void = () => {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the inspector does not answer')), ANSWER_WITHIN_MS);
    const onMessage = (event: MessageEvent) => {
      const message = JSON.parse(String(event.data)) as Message;
      if (message.id !== id) return onOther(message);
      clearTimeout(timer);
      socket.removeEventListener('message', onMessage);
      if (message.error === undefined) resolve();
      else reject(new Error(message.error.message));
    };
    socket.addEventListener('message', onMessage);
  });
}
