import { type Drill, run } from '../../drill.ts';

export const serviceDown: Drill = {
  alert: 'ServiceDown',
  cause: ({ stop }) => stop('notifier'),
  mend: [run('restart notifier')],
};
