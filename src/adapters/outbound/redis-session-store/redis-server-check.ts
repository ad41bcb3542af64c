/** Whether a server is fit for sessions. */
export interface RedisServerCheck {
  /** Why the server is unusable, in one clause; null: it is usable. */
  readonly fault: string | null;
  /** What the operator should change, in one sentence. */
  readonly warning: string | null;
}

const oldestVersion = [6, 2] as const;

const infoFields = (info: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>();
  for (const line of info.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return fields;
};

const isTooOld = (version: string): boolean => {
  const [major = Number.NaN, minor = 0] = version.split('.').map(Number);
  return major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1]);
};

const printable = (text: string): string => (/^[\w.-]{1,40}$/.test(text) ? text : 'unknown');

/**
 * Checks version, role and eviction policy.
 *
 * @param info the answer to INFO; null: the server refuses the command
 */
export const checkRedisServer = (info: string | null): RedisServerCheck => {
  const fields = info === null ? null : infoFields(info);
  const version = fields?.get('redis_version');
  if (fields === null || version === undefined) {
    const warning =
      'redis does not report its eviction policy (INFO): set maxmemory-policy noeviction; otherwise sign-ons can be replayed';
    return { fault: null, warning };
  }
  if (isTooOld(version)) {
    return { fault: `version ${printable(version)} is too old: use 6.2 or later`, warning: null };
  }
  if (fields.get('cluster_enabled') === '1') {
    return { fault: 'Redis Cluster is not supported', warning: null };
  }
  const role = fields.get('role');
  if (role !== undefined && role !== 'master') {
    return { fault: 'it is a read-only replica', warning: null };
  }
  const policy = fields.get('maxmemory_policy');
  const isBounded = fields.get('maxmemory') !== '0';
  const evicts = isBounded && policy !== undefined && policy !== 'noeviction';
  return {
    fault: null,
    warning: evicts
      ? `redis evicts keys when memory is full (maxmemory-policy ${printable(policy)}): set noeviction; otherwise sign-ons can be replayed and sessions are lost`
      : null,
  };
};
