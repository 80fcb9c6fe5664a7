/** The SQL of the UTM tags of an organisation's links. */
import type { LinkTagsSetting } from '@offer-ads/contracts/portal/offers-api';
import { usualLinkTags, withTags } from '@offer-ads/contracts/values/link-tags';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';

export async function readLinkTags(db: Queryable, organisationId: number): Promise<LinkTagsSetting> {
  const [row] = await db.query<LinkTagsSetting>(
    'SELECT is_on AS on, source, medium FROM link_tags WHERE organisation_id = $1',
    [organisationId],
  );
  return row ?? { on: false, ...usualLinkTags };
}

export async function writeLinkTags(
  db: Queryable,
  organisationId: number,
  { on, source, medium }: LinkTagsSetting,
): Promise<void> {
  await db.query(
    `INSERT INTO link_tags VALUES ($1, $2, $3, $4)
     ON CONFLICT (organisation_id) DO UPDATE SET is_on = $2, source = $3, medium = $4`,
    [organisationId, on, source, medium],
  );
}

/** Adds the tags to an address of the offer if its organisation wants them. */
export async function tagLink(db: Queryable, offerId: number, url: string): Promise<string> {
  const [tags] = await db.query<{ title: string; source: string; medium: string }>(
    `SELECT title, source, medium FROM offers JOIN link_tags USING (organisation_id) WHERE offer_id = $1 AND is_on`,
    [offerId],
  );
  return tags === undefined ? url : withTags(url, tags, { offerId, title: tags.title });
}
