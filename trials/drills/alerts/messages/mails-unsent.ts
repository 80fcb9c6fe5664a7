import { type Drill, elsewhere } from '../../drill.ts';
import { topUp } from '../../faults/traffic.ts';

const MAILS = 60;

/** The mail server takes eight seconds for a mail, so five connections send fewer than are written. */
export const mailsUnsent: Drill = {
  alert: 'MailsUnsent',
  cause: async (system) => {
    await system.simulate('mail', { slowMs: 8_000 });
    for (let mail = 0; mail < MAILS; mail += 1) await topUp(system);
  },
  mend: [elsewhere('the mail server answers at once', ({ simulate }) => simulate('mail', {}))],
};
