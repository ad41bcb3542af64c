import { ClientClosedError, ClientOfflineError, DisconnectsClientError, SocketClosedUnexpectedlyError } from 'redis';

/** Why a command failed, or why there is no connection. */
export interface RedisFailure {
  readonly kind: /** `close` was called. */
    | 'closed'
    /** Not connected; a later attempt may succeed without changes. */
    | 'unreachable'
    /**
     * The server refuses the connection or does not meet the requirements: an operator must act.
     */
    | 'unusable'
    /** The connection was lost and not retried yet. */
    | 'lost'
    /** Too many commands are pending. */
    | 'overloaded'
    /** The server did not answer in time. */
    | 'late'
    /** The server answered with an error, or the connection was lost before the answer. */
    | 'failed';
  /** One clause about the server, as in `it gave no answer within 1 s`. Quotes no command. */
  readonly reason: string;
}

/** The purpose of a connection, for error messages. */
export interface RedisPurpose {
  /** Configuration key of the URL. */
  readonly urlKey: string;
  /** What is stored, in the plural, such as `sessions`. */
  readonly content: string;
  /**
   * Required permissions of the user, such as `run scripts, and read and write keys portcullis:*`.
   */
  readonly permissions: string;
}

const inCluster = 'Redis Cluster is not supported';

/** Clauses for Redis error codes. */
const answerClauses = ({ urlKey, content, permissions }: RedisPurpose): Readonly<Record<string, string>> => ({
  WRONGPASS: `it refused the user or the password in ${urlKey}`,
  NOAUTH: `it requires a password: add one to ${urlKey}`,
  NOPERM: `its user lacks permissions for ${content}: ${permissions}`,
  WRONGTYPE: `it has unexpected values under the keys of ${content}`,
  OOM: 'its memory is full',
  READONLY: 'it is a read-only replica',
  MASTERDOWN: 'it is a replica without its master',
  LOADING: 'it is still loading its data',
  MISCONF: 'it cannot write to its disk',
  NOREPLICAS: 'it has too few replicas to accept writes',
  BUSY: 'a script keeps it busy',
  MOVED: inCluster,
  CROSSSLOT: inCluster,
  CLUSTERDOWN: inCluster,
});

const untrusted = 'its certificate is not trusted: add its CA with NODE_EXTRA_CA_CERTS';

const socketClauses: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'its host name cannot be resolved now',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'no connection in time',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
};

/** The server is unreachable or not ready yet. */
const transientCodes = new Set([
  'LOADING',
  'BUSY',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

/** Client errors for an orderly close, as when a server starts or stops. */
const closings = [SocketClosedUnexpectedlyError, ClientClosedError, ClientOfflineError, DisconnectsClientError];

const answerWord = /^[A-Z]{2,20}(?= |$)/;

/** The error code of a Redis answer, such as `NOSCRIPT`; null for other errors. */
export const answerCode = (error: unknown): string | null =>
  error instanceof Error ? (answerWord.exec(error.message)?.[0] ?? null) : null;

const systemCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

/** Whether a later attempt may succeed without changes. */
export const isTransient = (error: unknown): boolean =>
  transientCodes.has(answerCode(error) ?? systemCode(error) ?? '') ||
  closings.some((closing) => error instanceof closing);

/** Describes an error in one clause. Quotes no command, although the answer may. */
export const failureClause = (error: unknown, purpose: RedisPurpose): string => {
  const answer = answerCode(error);
  if (answer !== null) return answerClauses(purpose)[answer] ?? `it answered ${answer}`;
  const code = systemCode(error);
  if (code !== null) return socketClauses[code] ?? `connection failed (${code})`;
  return 'connection lost';
};
