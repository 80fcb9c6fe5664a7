/** The admin credential of services under test: that of the console, so that tests can call for any person. */
import { consoleName } from '@offer-ads/platform/admin/routes';
import { entryOf } from '@offer-ads/platform/admin/tokens';

export const adminToken = 'an-admin-credential-that-only-tests-use-0123456789';
/** The setting of a service that accepts it. */
export const adminTokenHashes: string = entryOf(consoleName, adminToken);
