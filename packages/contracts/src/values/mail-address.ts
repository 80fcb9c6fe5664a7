/** Mail addresses of people, as they enter them. */
import { z } from 'zod';

/** All characters that RFC 5322 allows before the `@` without quotes (`dot-atom`); then a domain of two labels or more, in ASCII. */
const pattern =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])$/;
export const mailAddress = z.email({ pattern, error: 'must be an email address, such as ana@shop.example' });

/** A domain in other letters is kept in its ASCII form, so that it is one address however it is entered, and every mail server takes it. */
export const enteredMailAddress = z.string().trim().max(254).overwrite(withAsciiDomain).pipe(mailAddress);

function withAsciiDomain(entered: string): string {
  const at = entered.lastIndexOf('@') + 1;
  const url = `http://${entered.slice(at)}`;
  const isInternational = /^http:\/\/[\p{L}\p{M}\p{N}.-]*[^\0-\x7f][\p{L}\p{M}\p{N}.-]*$/u.test(url);
  return at > 0 && isInternational && URL.canParse(url)
    ? entered.slice(0, at) + new URL(url).hostname
    : entered;
}
