/** The newest messages that have arrived. */

export type Message = {
  readonly id: number;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** By name in lower case. If a header occurs several times, the last one. */
  readonly headers: Readonly<Record<string, string>>;
  /** ISO 8601, UTC. */
  readonly receivedAt: string;
};

export type Mailbox = {
  readonly add: (message: Omit<Message, 'id'>) => void;
  readonly find: (id: number) => Message | undefined;
  /** In the order of arrival; `to` compares addresses without regard to case. */
  readonly list: (to?: string) => readonly Message[];
};

/** Enough for any test run. The number of characters bounds the memory when messages are large. */
const MOST_MESSAGES = 5_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;

export function createMailbox(): Mailbox {
  const messages: Message[] = [];
  let lastId = 0;
  let characters = 0;
  const size = ({ text, html, subject, headers }: Message) =>
    text.length + html.length + subject.length + Object.values(headers).join('').length;
  return {
    add(message) {
      lastId += 1;
      const kept = { id: lastId, ...message };
      messages.push(kept);
      characters += size(kept);
      while (messages.length > MOST_MESSAGES || (characters > MOST_CHARACTERS && messages.length > 1)) {
        const oldest = messages.shift();
        characters -= oldest ? size(oldest) : 0;
      }
    },
    find: (id) => messages.find((message) => message.id === id),
    list: (to) => messages.filter((message) => !to || message.to.toLowerCase() === to.toLowerCase()),
  };
}
