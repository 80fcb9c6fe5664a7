import type { RulingReply } from '@offer-ads/contracts/internal/moderation-api';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';

const words = { allow: 'allowed', block: 'refused', withdraw: 'taken back' } as const;

/** `named`: the rulings belong to several pictures. */
export function RulingsTable({
  rulings,
  named = false,
}: {
  readonly rulings: readonly RulingReply[];
  readonly named?: boolean;
}) {
  return (
    <Table
      rows={rulings}
      keyOf={(ruling) => ruling.number}
      columns={[
        { title: 'When', cell: (ruling) => <When at={ruling.at} /> },
        named && {
          title: 'Picture',
          cell: (ruling) => (
            <a href={`/pictures/${ruling.contentHash}`}>
              <code>{ruling.contentHash.slice(0, 8)}</code>
            </a>
          ),
        },
        { title: 'Decision', cell: (ruling) => words[ruling.action] },
        { title: 'By', cell: (ruling) => ruling.author },
        { title: 'Reason', cell: (ruling) => ruling.reason },
      ]}
    />
  );
}
