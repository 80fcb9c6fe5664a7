/**
 * The result of an attempt by SMTP: what the server's answer means for the mail, for its address, and for all other mails. When the next
 * attempt is made is in delivery.ts, and in deliver.ts if no mail gets through.
 */

/** How far an attempt had come when it failed. */
export type Stage =
  /** Before the first command about the mail: connecting, greeting, TLS, login. */
  | 'session'
  /** Sender and recipient. */
  | 'envelope'
  /** The mail itself is being sent; without an answer it is unknown whether the server accepted it. */
  | 'content';

export type Failure = {
  readonly stage: Stage;
  /** The command that was answered, such as `RCPT TO`; undefined if it is not known. */
  readonly command: string | undefined;
  /** The server's text, such as `550 5.1.1 No such user`; undefined if the connection broke or timed out. */
  readonly reply: string | undefined;
  /** Our own client refused to send it, because the address or the mail is not valid. No server has judged the address. */
  readonly unsendable: boolean;
  /** The message of our own client. */
  readonly problem: string;
};

/** The result of an attempt. */
export type AttemptResult =
  | { readonly outcome: 'accepted'; readonly reply: string }
  /** No server accepted the connection and the login, which says nothing about the mail. */
  | { readonly outcome: 'unavailable'; readonly problem: string }
  /**
   * A retry may succeed. `slowDown`: the server or the network has problems with every mail. `uncertain`: the mail may have been accepted
   * all the same.
   */
  | {
      readonly outcome: 'deferred';
      readonly problem: string;
      readonly slowDown: boolean;
      readonly uncertain: boolean;
    }
  /** No retry will succeed. `unknownMailbox`: the address does not exist, for any mail. */
  | { readonly outcome: 'refused'; readonly problem: string; readonly unknownMailbox: boolean };

/** The result of an attempt that failed. */
export function attemptResultOf(failure: Failure): AttemptResult {
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
  /** An RFC 3463 status, such as `5.1.1`. */
  readonly status: string | undefined;
  readonly text: string;
};

function read(text: string | undefined): Reply | undefined {
  const parts = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})?(.*))?$/s.exec(text ?? '');
  return parts === null ? undefined : { code: Number(parts[1]), status: parts[2], text: parts[3] ?? '' };
}

/**
 * RFC 3463: the mailbox, its domain or its syntax does not exist, has moved, accepts no mail (RFC 7505), or is disabled. Only with one of
 * these status codes: a 550 alone may also be the server's policy (RFC 5321, 4.2.3).
 */
const unknownMailboxes: ReadonlySet<string> = new Set([
  '5.1.1',
  '5.1.2',
  '5.1.3',
  '5.1.6',
  '5.1.10',
  '5.2.1',
]);

/** Our login or our own address was refused: no mail would be accepted, and the mail is not the cause. */
const senderCodes: ReadonlySet<number> = new Set([530, 534, 535, 538]);
const senderStatuses: ReadonlySet<string> = new Set(['5.1.7', '5.1.8', '5.7.0', '5.7.8', '5.7.9']);
/**
 * Some servers refuse the sender only at RCPT TO or DATA, and with other status codes, even with that of an unknown mailbox. Such answers are
 * recognised by their words.
 */
const senderWords =
  /\bsender address rejected|\bas this sender|\baddress is not verified|\bclient host\b|\brelay(ing)?( access)? denied|\b(to|not|cannot) relay\b/i;

/** A 5xx is final, except for 503 (wrong order of commands) and answers about us as the sender, whose cause a person can repair. */
function isFinal(reply: Reply, failure: Failure): boolean {
  return reply.code >= 500 && reply.code !== 503 && !concernsSender(reply, failure);
}

function concernsSender({ code, status, text }: Reply, { command }: Failure): boolean {
  // A refusal of MAIL FROM is about the sender, unless it is about the size (RFC 1870).
  if (command === 'MAIL FROM') return code !== 552 && status !== '5.3.4';
  return senderCodes.has(code) || senderStatuses.has(status ?? '') || senderWords.test(text);
}

/** The server is throttled, full, busy or shutting down, or refuses us as the sender: the next mail would get the same answer. */
function concernsEverything(reply: Reply, failure: Failure): boolean {
  const { code, status = '', text } = reply;
  if (code === 421 || code === 454) return true;
  // Only the order of commands on this connection was wrong.
  if (code === 503) return false;
  if (failure.command === 'MAIL FROM' || concernsSender(reply, failure)) return true;
  // About the mailbox; a full one is often called "over quota".
  if (status.startsWith('4.2.')) return false;
  // System status and congestion; other codes are recognised by words. Greylisting is about one recipient and uses other words.
  return /^4\.(3\.\d+|4\.5)$/.test(status) || /throttl|rate limit|(sending|maximum) rate|quota/i.test(text);
}

const maxCharacters = 500;

/** The server's answer after its command, or after `answered` if the command is not known. Without an answer: our client's message. */
function shownProblem({ problem, reply, command = 'answered' }: Failure): string {
  return shown(reply === undefined ? problem : `${command}: ${reply}`);
}

/** Makes a text fit for the admin list. A spam filter may quote a link of the mail. Links are credentials, so they are removed. */
export function shown(words: string): string {
  return words
    .replaceAll(/\bhttps?:\/\/\S+/gi, '[link]')
    .replaceAll(/\s+/g, ' ')
    .slice(0, maxCharacters);
}
