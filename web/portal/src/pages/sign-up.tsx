import { PortalPage } from '../portal-page.tsx';

export function SignUp() {
  return (
    <main class="alone stack">
      <PortalPage title="Register your organisation">{null}</PortalPage>
    </main>
  );
}
