/** What differs between services that look at pictures over HTTP; how they are called is the same for all (hosted-model.ts). */
import type { Scores } from '../domain/decision.ts';
import type { ModelIdentity } from '../model/model-thread.ts';

export type HostedRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
};

/** A reply that is documented, but not as an answer to what was asked. Its text is shown to nobody but the log. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

export type HostedService = {
  /** Verdicts are kept by it: another version of the service's model judges anew. */
  readonly identity: ModelIdentity;
  readonly request: (jpeg: Buffer) => Promise<HostedRequest>;
  /** @throws {UnexpectedAnswer} when a 200 says something else than what the picture shows */
  readonly scores: (body: unknown) => Scores;
  /** The service's own word for what went wrong, out of the body of another status. */
  readonly problem: (body: unknown) => unknown;
  /** Words of it that mean too much to do, whatever the status: trying again may help. */
  readonly overloads?: ReadonlySet<unknown>;
};
