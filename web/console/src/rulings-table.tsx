import type { RulingReply } from '@offer-ads/contracts/internal/moderation-api';
import { When } from '../../ui/when.tsx';

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
    <table class="cells">
      <thead>
        <tr>
          <th scope="col">When</th>
          {named && <th scope="col">Picture</th>}
          <th scope="col">Decision</th>
          <th scope="col">By</th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        {rulings.map((ruling) => (
          <tr key={ruling.number}>
            <td data-label="When">
              <When at={ruling.at} />
            </td>
            {named && (
              <td data-label="Picture">
                <a href={`/pictures/${ruling.contentHash}`}>
                  <code>{ruling.contentHash.slice(0, 8)}</code>
                </a>
              </td>
            )}
            <td data-label="Decision">{words[ruling.action]}</td>
            <td data-label="By">{ruling.author}</td>
            <td data-label="Reason">{ruling.reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
