import { type Drill, elsewhere, run } from '../../drill.ts';
import { topUp } from '../../faults/traffic.ts';

export const mailServerUnreachable: Drill = {
  alert: 'MailServerUnreachable',
  cause: async (system) => {
    system.links.smtp.takeDown();
    await topUp(system);
  },
  mend: [
    run('admin notification list --state pending'),
    elsewhere('the mail server can be reached again', async ({ links }) => links.smtp.bringBack()),
  ],
};
