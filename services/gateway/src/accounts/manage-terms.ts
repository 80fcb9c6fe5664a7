/** The advertising terms: versions are published by the platform team and accepted by organisations. */

import { personIdOf } from '../domain/accounts/people.ts';
import { done, type Outcome, refused } from '../domain/outcome.ts';
import {
  type Administration,
  type Change,
  type OrganisationRefusal,
  withOrganisation,
} from './change-organisation.ts';
import * as store from './terms-store.ts';

export type TermsRefusal =
  | OrganisationRefusal
  | 'no-terms-published'
  | 'terms-not-latest'
  | 'terms-superseded'
  | 'terms-differ'
  | 'terms-past'
  | 'terms-unknown';

/** The history is for people to read, and new versions are rare. */
const maxVersionsListed = 100;

export type ManagedTerms = ReturnType<typeof manageTerms>;

export function manageTerms(o: Administration) {
  const { postgres, clock } = o;
  return {
    /**
     * Publishing the latest version again changes nothing. An older version cannot be published again, and the text of a version cannot
     * change, because organisations have accepted it. The first version holds at once, whatever its date is: without one nobody can create.
     * @param holdsFrom null: at once
     */
    publish: async (
      version: string,
      text: string,
      holdsFrom: Date | null,
    ): Promise<Outcome<string, TermsRefusal>> => {
      const at = clock.now();
      if (holdsFrom !== null && holdsFrom <= at) return refused('terms-past');
      const isNew = await store.insertTerms(postgres, { version, text, holdsFrom, at });
      const latest = await store.latestTerms(postgres);
      if (!isNew && latest?.version !== version) return refused('terms-superseded');
      if (!isNew && (latest?.text !== text || latest.holdsFrom?.getTime() !== holdsFrom?.getTime()))
        return refused('terms-differ');
      return done(version);
    },

    /**
     * Accepts the named version for the organisation; the latest if none is named. A superseded version is refused, so that nobody accepts
     * a text that they have not seen.
     */
    accept: (change: Change, version?: string): Promise<Outcome<string, TermsRefusal>> =>
      withOrganisation(o, { ...change, permission: 'terms' }, async (tx, organisation) => {
        const terms = await store.latestTerms(tx);
        if (terms === null) return refused('no-terms-published');
        if (version !== undefined && version !== terms.version) return refused('terms-not-latest');
        await store.insertAcceptance(tx, {
          organisationId: organisation.id,
          termsId: terms.id,
          acceptedBy: personIdOf(change.by),
          at: clock.now(),
        });
        return done(terms.version);
      }),

    latest: () => store.latestTerms(postgres),

    /** For the platform's staff: the latest versions, and who must accept the next one. */
    listPublished: async () => ({
      versions: await store.listPublished(postgres, maxVersionsListed),
      ...(await store.countAccepting(postgres)),
    }),

    /** Null: there is no such version. */
    find: (id: number) => store.findTerms(postgres, id),

    /** The latest terms and the earlier ones, with the organisation's acceptances. */
    readTerms: async (organisationId: number) => {
      const [head, ...earlier] = await store.listTerms(postgres, {
        organisationId,
        limit: maxVersionsListed,
      });
      if (head === undefined) return { latest: null, earlier };
      const text = (await store.textOfTerms(postgres, head.version)) ?? '';
      return { latest: { ...head, text }, earlier };
    },

    textOf: async (version: string): Promise<Outcome<string, TermsRefusal>> => {
      const text = await store.textOfTerms(postgres, version);
      return text === null ? refused('terms-unknown') : done(text);
    },
  };
}
