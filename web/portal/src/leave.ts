import { forgetTab } from './tab-storage.ts';

/** After signing out: nothing of what was seen or typed stays, neither in memory nor in the tab. */
export function leave(): void {
  forgetTab();
  location.assign('/portal');
}
