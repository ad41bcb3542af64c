/** Where a request came in, compared with the public URLs of a login. */
export type RequestPlace =
  /** At one of the public URLs: `origin` is its scheme and authority. */
  | { readonly kind: 'public'; readonly origin: string }
  /** At another host under the cookie domain. Sign-ons begin at the first public URL. */
  | { readonly kind: 'cookie_domain' }
  /** At a host where no browser can sign on. */
  | { readonly kind: 'foreign' };

/** An origin split into its parts; the host in lower case. */
interface OriginParts {
  readonly origin: string;
  readonly host: string;
  /** The default port of the scheme if none is written. */
  readonly port: string;
}

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' };

const hostAndPort = (authority: string): { readonly host: string; readonly port: string | null } | null => {
  const parts = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]@/?#\s]+)(?::(\d{1,5}))?$/.exec(authority);
  return parts === null ? null : { host: (parts[1] as string).toLowerCase(), port: parts[2] ?? null };
};

/** The configured origins have been checked. */
const originParts = (origin: string): OriginParts => {
  const scheme = origin.slice(0, origin.indexOf(':')).toLowerCase();
  const { host, port } = hostAndPort(origin.slice(origin.indexOf('://') + '://'.length)) ?? { host: '', port: null };
  return { origin, host, port: port ?? defaultPorts[scheme] ?? '' };
};

const isUnder = (domain: string, host: string): boolean => host === domain || host.endsWith(`.${domain}`);

/** Compares hosts of requests with the public URLs of a login. */
export class PublicOrigins {
  readonly #origins: readonly OriginParts[];
  readonly #cookieDomain: string | null;

  /**
   * @param origins scheme and authority of each public URL, at least one
   * @param cookieDomain in lower case; null: the cookie of a session reaches only one host
   */
  constructor(origins: readonly string[], cookieDomain: string | null) {
    this.#origins = origins.map(originParts);
    this.#cookieDomain = cookieDomain;
  }

  get first(): string {
    return this.#origins[0]?.origin ?? '';
  }

  has(origin: string): boolean {
    return this.#origins.some((known) => known.origin === origin);
  }

  /**
   * Where a request came in.
   * @param host the value of Host or `:authority`; null: the request names none. It only selects a configured origin
   * and never becomes part of a URL.
   */
  placeOf(host: string | null): RequestPlace {
    const shown = host === null ? null : hostAndPort(host);
    if (shown === null) return { kind: 'foreign' };
    const found = this.#origins.find(
      (known) => known.host === shown.host && (shown.port === known.port || (shown.port === null && isDefault(known))),
    );
    if (found !== undefined) return { kind: 'public', origin: found.origin };
    const domain = this.#cookieDomain;
    return domain !== null && isUnder(domain, shown.host) ? { kind: 'cookie_domain' } : { kind: 'foreign' };
  }
}

const isDefault = ({ origin, port }: OriginParts): boolean =>
  defaultPorts[origin.slice(0, origin.indexOf(':')).toLowerCase()] === port;
