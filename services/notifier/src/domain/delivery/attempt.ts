/** What an attempt by SMTP came to: what the server's words mean for the mail, for its address, and for all other mails. */

/** How far an attempt had come when it failed. */
export type Stage =
  /** Nothing has been said of the mail yet: connecting, greeting, TLS, login. */
  | 'session'
  /** Sender and recipient. */
  | 'envelope'
  /** The mail itself is on its way; without an answer nobody knows whether it was taken. */
  | 'content';

export type Failure = {
  readonly stage: Stage;
  /** The command that was answered, such as `RCPT TO`. */
  readonly command: string | undefined;
  /** The server's words, such as `550 5.1.1 No such user`; nothing when it was cut off or silent. */
  readonly reply: string | undefined;
  /** Our own client would not send it: an address that is none. */
  readonly unsendable: boolean;
  readonly problem: string;
};

export type Attempt =
  | { readonly outcome: 'accepted'; readonly reply: string }
  /** No server was ready to hear of the mail, which says nothing about the mail. */
  | { readonly outcome: 'unavailable'; readonly problem: string }
  /**
   * It may pass. `slowDown`: the server, or the way to it, has trouble with whatever we send. `uncertain`: the mail may have
   * been taken all the same.
   */
  | {
      readonly outcome: 'deferred';
      readonly problem: string;
      readonly slowDown: boolean;
      readonly uncertain: boolean;
    }
  /** It will never pass. `unknownMailbox`: nobody is at the address, for no mail. */
  | { readonly outcome: 'refused'; readonly problem: string; readonly unknownMailbox: boolean };

export function attemptOf(failure: Failure): Attempt {
  const problem = shownProblem(failure);
  if (failure.unsendable) return { outcome: 'refused', problem, unknownMailbox: false };
  if (failure.stage === 'session') return { outcome: 'unavailable', problem };
  const reply = read(failure.reply);
  if (reply === undefined || !isFinal(reply, failure)) {
    const uncertain = failure.stage === 'content' && reply === undefined;
    const slowDown = reply === undefined || concernsEverything(reply, failure);
    return { outcome: 'deferred', problem, slowDown, uncertain };
  }
  const unknownMailbox = failure.command === 'RCPT TO' && unknownMailboxes.has(reply.status ?? '');
  return { outcome: 'refused', problem, unknownMailbox };
}

type Reply = {
  readonly code: number;
  /** RFC 3463, such as `5.1.1`. */
  readonly status: string | undefined;
  readonly text: string;
};

function read(text: string | undefined): Reply | undefined {
  const parts = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})?(.*))?$/s.exec(text ?? '');
  return parts === null ? undefined : { code: Number(parts[1]), status: parts[2], text: parts[3] ?? '' };
}

/**
 * RFC 3463: mailbox, its domain or its syntax does not exist, has moved, takes no mail (RFC 7505), or is disabled. Only
 * where a server says so in these words: a bare 550 may as well be its policy (RFC 5321, 4.2.3).
 */
const unknownMailboxes: ReadonlySet<string> = new Set([
  '5.1.1',
  '5.1.2',
  '5.1.3',
  '5.1.6',
  '5.1.10',
  '5.2.1',
]);

/** Our login or our own address; refused for these, no mail would ever pass, and the fault is not in the mail. */
const senderCodes: ReadonlySet<number> = new Set([530, 534, 535, 538]);
const senderStatuses: ReadonlySet<string> = new Set(['5.1.7', '5.1.8', '5.7.0', '5.7.8', '5.7.9']);
/** In words alone, because servers say it at RCPT TO or DATA with the status of something else, even of an unknown mailbox. */
const senderWords =
  /\bsender address rejected|\bas this sender|\baddress is not verified|\bclient host\b|\brelay(ing)?( access)? denied|\b(to|not|cannot) relay\b/i;

/** A 5xx is final, except where it is about the session (503) or about us as senders: that somebody can mend. */
function isFinal(reply: Reply, failure: Failure): boolean {
  return reply.code >= 500 && reply.code !== 503 && !concernsSender(reply, failure);
}

function concernsSender({ code, status, text }: Reply, { command }: Failure): boolean {
  // What a server has against MAIL FROM is the sender, unless it is the size (RFC 1870).
  if (command === 'MAIL FROM') return code !== 552 && status !== '5.3.4';
  return senderCodes.has(code) || senderStatuses.has(status ?? '') || senderWords.test(text);
}

/** Throttled, full, busy, shutting down: the next mail would hear the same. */
function concernsEverything(reply: Reply, failure: Failure): boolean {
  const { code, status = '', text } = reply;
  if (code === 421 || code === 454) return true;
  if (code === 503) return false;
  if (failure.command === 'MAIL FROM' || concernsSender(reply, failure)) return true;
  // Of the mailbox; a full one is often called "over quota".
  if (status.startsWith('4.2.')) return false;
  // Mail system status and congestion; else only the words tell, and greylisting, which is about one recipient, has others.
  return /^4\.(3\.\d+|4\.5)$/.test(status) || /throttl|rate limit|(sending|maximum) rate|quota/i.test(text);
}

const mostCharacters = 500;

/** What the server said to what, else what our client says. */
function shownProblem({ problem, reply, command = 'answered' }: Failure): string {
  return shown(reply === undefined ? problem : `${command}: ${reply}`);
}

/** For people. A spam filter may quote the address that it did not like: links are credentials and do not stay. */
export function shown(words: string): string {
  return words
    .replaceAll(/\bhttps?:\/\/\S+/gi, '[link]')
    .replaceAll(/\s+/g, ' ')
    .slice(0, mostCharacters);
}
