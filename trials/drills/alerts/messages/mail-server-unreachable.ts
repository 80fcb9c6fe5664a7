import { type Drill, elsewhere, run } from '../../drill.ts';
import { topUp } from '../../traffic.ts';

export const mailServerUnreachable: Drill = {
  alert: 'MailServerUnreachable',
  cause: async (system) => {
    system.wires.smtp.takeDown();
    await topUp(system);
  },
  mend: [
    run('admin notification list --state pending'),
    elsewhere('the mail server can be reached again', async ({ wires }) => wires.smtp.bringBack()),
  ],
};
