/** The admin credential of services under test: the console's, so that tests can call in anybody's name. */
import { consoleName } from '@offer-ads/platform/admin/routes';
import { entryOf } from '@offer-ads/platform/admin/tokens';

export const adminToken = 'an-admin-credential-that-only-tests-use-0123456789';
/** What a service's setting says of it. */
export const adminTokenHashes: string = entryOf(consoleName, adminToken);
