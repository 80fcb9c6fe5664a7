import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Drill, elsewhere, run } from '../../drill.ts';
import type { DrillSystem } from '../../system.ts';

/** The mark that offers writes at its first start (`services/offers/src/images/images.ts`). */
const markOf = ({ folder }: DrillSystem) => join(folder, 'images', 'belongs-to-database');

/** Another installation uses the store: the mark names its database. */
export const imageStoreForeign: Drill = {
  alert: 'ImageStoreForeign',
  cause: async (system) => writeFileSync(markOf(system), '00000000-0000-4000-8000-000000000000'),
  mend: [
    run('sql offers -c "SELECT database_id FROM image_store"'),
    elsewhere('the other installation has a store of its own, and its mark is removed', async (system) =>
      rmSync(markOf(system)),
    ),
  ],
};
