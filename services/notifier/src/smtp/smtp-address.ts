/** The mail server's address, and the required security of the connection. */

export type SmtpAddress = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps://`) instead of STARTTLS. */
  readonly secure: boolean;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
};

export type SmtpTls = 'required' | 'off';

/** RFC 8314: submission with TLS from the first byte, and with STARTTLS. */
const defaultPorts = { secure: 465, plain: 587 };

export function smtpAddressOf(smtpUrl: string): SmtpAddress {
  const url = new URL(smtpUrl);
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPorts[secure ? 'secure' : 'plain'] : Number(url.port),
    secure,
    login: user === '' ? undefined : { user, pass: decodeURIComponent(url.password) },
  };
}

/** Mails that leave the machine are encrypted, and the server must prove its name; only the setting changes that. */
export function tlsOf({ host }: SmtpAddress, chosen: SmtpTls | undefined): SmtpTls {
  return chosen ?? (isLoopback(host) ? 'off' : 'required');
}

/** The problem with the address, and how to correct it. */
export function smtpProblem(smtpUrl: string, chosen: SmtpTls | undefined): string | undefined {
  const { search, hash, pathname } = new URL(smtpUrl);
  if (search !== '' || hash !== '' || pathname.length > 1)
    return 'must end after the port: TLS is set by SMTP_TLS and SMTP_CA_FILE';
  const address = smtpAddressOf(smtpUrl);
  if (address.host === '') return 'must name a host';
  if (!address.secure && address.port === defaultPorts.secure) return 'must begin with smtps:// for port 465';
  const isPlain = !address.secure && tlsOf(address, chosen) === 'off';
  if (isPlain && address.login !== undefined && !isLoopback(address.host))
    return 'has a password, which must not travel without TLS: leave SMTP_TLS out, or the password';
  return undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
