import { type Drill, run } from '../../drill.ts';
import { poison } from '../../faults/members.ts';

export const messagesParked: Drill = {
  alert: 'MessagesParked',
  cause: poison,
  mend: [
    run('admin events parked --service pricing'),
    run('admin events replay --service pricing --ids all'),
    run('admin events drop --service pricing --ids all'),
  ],
};
