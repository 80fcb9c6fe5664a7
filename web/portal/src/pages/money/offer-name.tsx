import { usePortal } from '../../session.ts';

type OfferNameProps = {
  readonly id: number | null;
  readonly groupId?: number | null;
  readonly title: string | null;
};

/** A link to the offer, or to the group whose offers were paid in one go, for those who may open it. */
export function OfferName({ id, groupId = null, title }: OfferNameProps) {
  const { at, may } = usePortal();
  const name = <bdi>{title ?? (id === null ? 'several offers' : `offer ${id}`)}</bdi>;
  if ((id === null && groupId === null) || !may('view-offers')) return name;
  return <a href={at(groupId === null ? `offers/${id}` : `offers/groups/${groupId}`)}>{name}</a>;
}
