import { forgetTab } from './tab-storage.ts';

/** After sign-out: deletes everything that was shown or typed, in memory and in the tab's storage. */
export function leave(): void {
  forgetTab();
  location.assign('/portal');
}
