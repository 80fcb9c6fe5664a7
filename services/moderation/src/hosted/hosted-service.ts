/** The differences between hosted services; hosted-model.ts calls all of them in the same way. */
import type { Scores } from '../domain/decision.ts';
import type { ModelIdentity } from '../model/model.ts';

export type HostedRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
};

/** An answer that does not fit the request. Its text is only for the log. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

export type HostedService = {
  /** Part of the key of stored verdicts: another version of the service's model judges again. */
  readonly identity: ModelIdentity;
  readonly request: (jpeg: Buffer) => Promise<HostedRequest>;
  /** @throws {UnexpectedAnswer} if a 200 does not contain the expected labels */
  readonly scores: (body: unknown) => Scores;
  /** The service's error code, from the body of another status. */
  readonly problem: (body: unknown) => unknown;
  /** Error codes that mean overload, whatever the status: a retry may help. */
  readonly overloads?: ReadonlySet<unknown>;
};
