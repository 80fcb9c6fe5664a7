/** `/portal/sign-up`: the registration form. `/portal/sign-up#token`: the link of the mail. */
import { useOneTimeToken } from '../mailed-link.ts';
import { SignedOut } from '../signed-out.tsx';
import { CompleteSignUp } from './complete-sign-up.tsx';
import { Register } from './register.tsx';

export function SignUp() {
  const token = useOneTimeToken();
  return <SignedOut>{token === '' ? <Register /> : <CompleteSignUp token={token} />}</SignedOut>;
}
