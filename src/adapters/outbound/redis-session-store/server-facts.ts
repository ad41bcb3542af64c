/** What a server says about itself that sessions depend on. */
export interface ServerFacts {
  /** It cannot be used; one clause. */
  readonly fault: string | null;
  /** It can, with this reservation; one sentence. */
  readonly warning: string | null;
}

const oldestVersion = [6, 2] as const;

const factsOf = (info: string): ReadonlyMap<string, string> => {
  const facts = new Map<string, string>();
  for (const line of info.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) facts.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return facts;
};

const isTooOld = (version: string): boolean => {
  const [major = Number.NaN, minor = 0] = version.split('.').map(Number);
  return major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1]);
};

const word = (text: string): string => (/^[\w.-]{1,40}$/.test(text) ? text : 'unknown');

/** Reads the answer to INFO; null: the server does not tell. */
export const serverFacts = (info: string | null): ServerFacts => {
  const facts = info === null ? null : factsOf(info);
  const version = facts?.get('redis_version');
  if (facts === null || version === undefined) {
    const warning =
      'redis does not say (INFO) whether it drops keys when its memory is full: set maxmemory-policy noeviction, or sign-ons can be replayed';
    return { fault: null, warning };
  }
  if (isTooOld(version)) {
    return { fault: `it is of version ${word(version)}: 6.2 is the oldest that will do`, warning: null };
  }
  if (facts.get('cluster_enabled') === '1') {
    return { fault: 'it is part of a cluster, which is not supported', warning: null };
  }
  const role = facts.get('role');
  if (role !== undefined && role !== 'master') {
    return { fault: 'it is a replica, which takes no writes', warning: null };
  }
  const policy = facts.get('maxmemory_policy');
  const isBounded = facts.get('maxmemory') !== '0';
  const evicts = isBounded && policy !== undefined && policy !== 'noeviction';
  return {
    fault: null,
    warning: evicts
      ? `redis drops keys when its memory is full (maxmemory-policy ${word(policy)}): set noeviction, or sign-ons can be replayed and sessions are lost`
      : null,
  };
};
