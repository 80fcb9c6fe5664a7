/** The spending of privacy budgets, in memory. */
import type { SpendingStore } from '../src/privacy-budget/replica-budgets.ts';

export function memorySpendingStore(): SpendingStore & { away: boolean } {
  const spent = new Map<string, number>();
  const on = (day: string, id: string) => spent.get(`${day} ${id}`) ?? 0;
  return {
    away: false,
    async add(day, all) {
      if (this.away) throw new Error('the store is away');
      for (const { id, spent: more } of all) spent.set(`${day} ${id}`, on(day, id) + more);
    },
    async totals(day, ids) {
      return ids.map((id) => ({ id, spent: on(day, id) }));
    },
    async before(day, ids) {
      const days = Array.from({ length: 29 }, (_, index) => dayAfter(day, -index - 1));
      return ids.map((id) => ({ id, spent: days.reduce((sum, earlier) => sum + on(earlier, id), 0) }));
    },
  };
}

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
