import { type Drill, elsewhere, run } from '../../drill.ts';
import { changeMembers, misplaceMember } from '../../faults/members.ts';

/** Another program writes into pricing's database. */
export const membersLeftOut: Drill = {
  alert: 'MembersLeftOut',
  cause: misplaceMember,
  mend: [
    elsewhere('the community platform sends that member again', (system) => changeMembers(system, 1)),
    run('admin member check'),
  ],
};
