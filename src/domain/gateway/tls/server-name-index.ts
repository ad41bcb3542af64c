/** Certificates by server name. A certificate is an index into the list. */
export interface ServerNameIndex {
  readonly exact: ReadonlyMap<string, number>;
  /** By the part after `*.`. */
  readonly wildcards: ReadonlyMap<string, number>;
}

/** Names compare without case and without a trailing dot (RFC 4343, RFC 6125, section 6.4.1). */
const comparable = (name: string): string => {
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
};

/**
 * Indexes the DNS names of certificates. If two certificates have the same name, the first wins. A wildcard is a `*` as
 * the whole first label; other names with a star are ignored (RFC 6125, section 6.4.3).
 */
export const serverNameIndex = (namesOf: readonly (readonly string[])[]): ServerNameIndex => {
  const exact = new Map<string, number>();
  const wildcards = new Map<string, number>();
  namesOf.forEach((names, certificate) => {
    for (const name of names) {
      const compared = comparable(name);
      const isWildcard = compared.startsWith('*.');
      const known = isWildcard ? wildcards : exact;
      const key = isWildcard ? compared.slice(2) : compared;
      if (key === '' || key.includes('*') || known.has(key)) continue;
      known.set(key, certificate);
    }
  });
  return { exact, wildcards };
};

/**
 * The index of the certificate for a requested name (RFC 6066, section 3): an exact match, else a wildcard for the
 * first label, else the first certificate.
 */
export const indexOfServerName = ({ exact, wildcards }: ServerNameIndex, serverName: string): number => {
  const name = comparable(serverName);
  const found = exact.get(name);
  if (found !== undefined) return found;
  const dot = name.indexOf('.');
  return dot > 0 ? (wildcards.get(name.slice(dot + 1)) ?? 0) : 0;
};
