/** The outcomes of drills, as a table. */

export type Outcome = {
  readonly alert: string;
  readonly severity: string;
  /** Seconds from the fault; undefined: never. */
  readonly pendingAfterS?: number;
  readonly firingAfterS?: number;
  /** Seconds from the last step of mending. */
  readonly resolvedAfterS?: number;
  /** Other alerts that fired meanwhile. */
  readonly beside: readonly string[];
  readonly problem?: string;
};

export function passed(outcome: Outcome): boolean {
  return outcome.problem === undefined && outcome.resolvedAfterS !== undefined;
}

export function drillTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((outcome) => [
    outcome.alert,
    outcome.severity,
    seconds(outcome.pendingAfterS),
    seconds(outcome.firingAfterS),
    seconds(outcome.resolvedAfterS),
    outcome.problem ?? (outcome.beside.length === 0 ? '-' : outcome.beside.join(', ')),
  ]);
  const head = ['Alert', 'Severity', 'Pending after', 'Firing after', 'Resolved after', 'Fired beside it'];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function seconds(value: number | undefined): string {
  return value === undefined ? 'never' : `${value.toFixed(0)} s`;
}
