/** Which of several certificates is for which server name; certificates are told by their place in the list. */
export interface ServerNameIndex {
  readonly exact: ReadonlyMap<string, number>;
  /** By what follows the `*.`. */
  readonly wildcards: ReadonlyMap<string, number>;
}

/** Names compare without case, and with or without the dot of the root (RFC 4343, RFC 6125, section 6.4.1). */
const comparable = (name: string): string => {
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
};

/**
 * Indexes the DNS names that certificates are for, a list for each certificate. Of two certificates with one name the
 * first has it. A wildcard is a `*` as the whole first label; any other name with one is for nothing (RFC 6125,
 * section 6.4.3).
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
 * The place of the certificate for the name that a client asks for (RFC 6066, section 3): one with that very name,
 * else one whose wildcard stands for its first label, else the first of all.
 */
export const indexOfServerName = ({ exact, wildcards }: ServerNameIndex, serverName: string): number => {
  const name = comparable(serverName);
  const found = exact.get(name);
  if (found !== undefined) return found;
  const dot = name.indexOf('.');
  return dot > 0 ? (wildcards.get(name.slice(dot + 1)) ?? 0) : 0;
};
